package report

import "testing"

func TestEveryAnswerHasOneShape(t *testing.T) {
	for _, row := range []struct {
		document string
		indented bool
		want     string
	}{
		{`{"b":1,"a":{"z":1,"version":2},"version":1}`, false, `{"version":1,"b":1,"a":{"z":1,"version":2}}`},
		{`{"version":1,"text":"a<b\u0026"}`, false, `{"version":1,"text":"a<b\u0026"}`},
		{`{}`, false, `{}`},
		{"{\n \"a\": [1, 2],\n \"version\": 1}", true, "{\n  \"version\": 1,\n  \"a\": [\n    1,\n    2\n  ]\n}"},
	} {
		got, err := Shape([]byte(row.document), row.indented)
		if err != nil || string(got) != row.want {
			t.Errorf("%s: %s, %v", row.document, got, err)
		}
	}
	if _, err := Shape([]byte("[1]"), false); err == nil {
		t.Error("a list is no answer")
	}
}
