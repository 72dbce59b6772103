package check

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// build is what kustomize makes of a folder, decoded strictly.
func build(t *testing.T, files filesys.FileSystem, folder string) []runtime.Object {
	t.Helper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, folder)
	if err != nil {
		t.Fatal(err)
	}
	var objects []runtime.Object
	for _, resource := range resources.Resources() {
		text, err := resource.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		object, err := decode(t, text)
		if err != nil {
			t.Fatalf("%s %s: %v", resource.GetKind(), resource.GetName(), err)
		}
		objects = append(objects, object)
	}
	return objects
}

func decode(t *testing.T, text []byte) (runtime.Object, error) {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{core.AddToScheme, apps.AddToScheme, monitoring.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	object, _, err := decoder.Decode(text, nil, nil)
	return object, err
}

func find[T runtime.Object](t *testing.T, objects []runtime.Object) T {
	t.Helper()
	for _, object := range objects {
		if found, ok := object.(T); ok {
			return found
		}
	}
	var none T
	t.Fatalf("no %T among %d objects", none, len(objects))
	return none
}

func disk() filesys.FileSystem { return filesys.MakeFsOnDisk() }

func TestTheDaemonSetSeesTheNodeAndIsNotPrivileged(t *testing.T) {
	objects := build(t, disk(), "../base")
	if len(objects) != 5 {
		t.Errorf("%d objects, want a namespace, an account, a quota, a policy and a set", len(objects))
	}
	set := find[*apps.DaemonSet](t, objects)
	pod := set.Spec.Template.Spec
	if !pod.HostPID || !pod.HostNetwork {
		t.Errorf("hostPID %v, hostNetwork %v", pod.HostPID, pod.HostNetwork)
	}
	if len(pod.Tolerations) == 0 {
		t.Error("it tolerates nothing")
	}
	restrained(t, pod)
	policy := find[*core.ConfigMap](t, objects)
	if !strings.Contains(policy.Data["policies.yaml"], "extends: builtin") {
		t.Errorf("the policy is %q", policy.Data)
	}
	reloads(t, pod, policy.Name)
	for key, value := range set.Spec.Selector.MatchLabels {
		if set.Spec.Template.Labels[key] != value {
			t.Errorf("its pods lack %s=%s", key, value)
		}
	}
}

// TestAQuotaAdmitsThePriorityOfThePods holds that a cluster which limits the
// system's priority classes to kube-system lets the pods in.
func TestAQuotaAdmitsThePriorityOfThePods(t *testing.T) {
	objects := build(t, disk(), "../base")
	set, quota := find[*apps.DaemonSet](t, objects), find[*core.ResourceQuota](t, objects)
	if set.Namespace == "" || quota.Namespace != set.Namespace {
		t.Errorf("the quota is of %q, the pods of %q", quota.Namespace, set.Namespace)
	}
	if pods := quota.Spec.Hard.Pods(); pods.Value() < 5000 { // the nodes that a cluster may have
		t.Errorf("it admits %s pods", pods)
	}
	want := core.ScopedResourceSelectorRequirement{
		ScopeName: core.ResourceQuotaScopePriorityClass, Operator: core.ScopeSelectorOpIn,
		Values: []string{set.Spec.Template.Spec.PriorityClassName},
	}
	if scopes := quota.Spec.ScopeSelector; scopes == nil || !reflect.DeepEqual(scopes.MatchExpressions, []core.ScopedResourceSelectorRequirement{want}) {
		t.Errorf("it is for %+v, the pods have %+v", scopes, want)
	}
}

func TestTheSidecarSharesThePodsProcessTable(t *testing.T) {
	objects := build(t, disk(), "../agent-pod")
	pod := find[*apps.Deployment](t, objects).Spec.Template.Spec
	if pod.ShareProcessNamespace == nil || !*pod.ShareProcessNamespace || pod.HostPID || pod.HostNetwork {
		t.Errorf("shareProcessNamespace %v, hostPID %v, hostNetwork %v", pod.ShareProcessNamespace, pod.HostPID, pod.HostNetwork)
	}
	restrained(t, pod)
	reloads(t, pod, find[*core.ConfigMap](t, objects).Name)
}

// restrained holds that reaperd gets three rights and no others, cannot write
// but to its state, and stays within a limit.
func restrained(t *testing.T, pod core.PodSpec) {
	t.Helper()
	container := reaperd(t, pod)
	security := container.SecurityContext
	switch {
	case security == nil:
		t.Fatal("no security context")
	case security.Privileged == nil || *security.Privileged:
		t.Error("it may be privileged")
	case security.ReadOnlyRootFilesystem == nil || !*security.ReadOnlyRootFilesystem:
		t.Error("its root can be written")
	case security.AllowPrivilegeEscalation == nil || *security.AllowPrivilegeEscalation:
		t.Error("it may gain rights")
	}
	if want := []core.Capability{"KILL", "SYS_PTRACE", "DAC_READ_SEARCH"}; !slices.Equal(security.Capabilities.Add, want) ||
		!slices.Equal(security.Capabilities.Drop, []core.Capability{"ALL"}) {
		t.Errorf("capabilities %+v, want %v of none", security.Capabilities, want)
	}
	if memory := container.Resources.Limits.Memory(); memory.IsZero() || memory.Value() > 64<<20 {
		t.Errorf("memory limit %s", memory)
	}
}

// reloads holds that a changed policy reaches the running container.
func reloads(t *testing.T, pod core.PodSpec, config string) {
	t.Helper()
	for _, mount := range reaperd(t, pod).VolumeMounts {
		if mount.MountPath != "/etc/reaperd" {
			continue
		}
		if mount.SubPath != "" || mount.SubPathExpr != "" {
			t.Error("a subPath is never updated")
		}
		for _, volume := range pod.Volumes {
			if volume.Name == mount.Name && volume.ConfigMap != nil && volume.ConfigMap.Name == config {
				return
			}
		}
	}
	t.Errorf("the policy %s is not mounted", config)
}

func reaperd(t *testing.T, pod core.PodSpec) core.Container {
	t.Helper()
	for _, container := range pod.Containers {
		if container.Name == "reaperd" {
			return container
		}
	}
	t.Fatal("no container reaperd")
	return core.Container{}
}

// overlay is the base with components, as a user's own kustomization has them.
func overlay(t *testing.T, components ...string) []runtime.Object {
	t.Helper()
	files := filesys.MakeFsInMemory()
	for _, folder := range append([]string{"base"}, components...) {
		names, err := disk().ReadDir("../" + folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := disk().ReadFile("../" + folder + "/" + name)
			if err != nil {
				t.Fatal(err)
			}
			if err := files.WriteFile("/"+folder+"/"+name, text); err != nil {
				t.Fatal(err)
			}
		}
	}
	var list strings.Builder
	for _, component := range components {
		fmt.Fprintf(&list, "  - ../%s\n", component)
	}
	text := "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [../base]\ncomponents:\n" + list.String()
	if err := files.WriteFile("/mine/kustomization.yaml", []byte(text)); err != nil {
		t.Fatal(err)
	}
	return build(t, files, "/mine")
}

func TestThePodMonitorFindsTheMetricsPort(t *testing.T) {
	objects := overlay(t, "podmonitor")
	monitor := find[*monitoring.PodMonitor](t, objects)
	set := find[*apps.DaemonSet](t, objects)
	for key, value := range monitor.Spec.Selector.MatchLabels {
		if set.Spec.Template.Labels[key] != value {
			t.Errorf("it looks for %s=%s, the pods have %v", key, value, set.Spec.Template.Labels)
		}
	}
	port := monitor.Spec.PodMetricsEndpoints[0].Port
	if port == nil || !slices.ContainsFunc(reaperd(t, set.Spec.Template.Spec).Ports, func(p core.ContainerPort) bool { return p.Name == *port }) {
		t.Errorf("no port %v", port)
	}
}

func TestTheDockerComponentMountsTheSocket(t *testing.T) {
	pod := find[*apps.DaemonSet](t, overlay(t, "docker")).Spec.Template.Spec
	if !slices.ContainsFunc(reaperd(t, pod).VolumeMounts, func(m core.VolumeMount) bool { return m.MountPath == "/var/run/docker.sock" }) {
		t.Error("no socket")
	}
}

// TestAWrongKeyFails shows that the checks above would notice one.
func TestAWrongKeyFails(t *testing.T) {
	for name, text := range map[string]string{
		"a key that is none":  "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {hostPids: true}\n",
		"a value of no type":  "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {hostPID: sometimes}\n",
		"a key written twice": "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {hostPID: true, hostPID: false}\n",
		"a kind that is none": "apiVersion: v1\nkind: Pot\nmetadata: {name: x}\n",
	} {
		if _, err := decode(t, []byte(text)); err == nil {
			t.Errorf("%s passed", name)
		}
	}
}
