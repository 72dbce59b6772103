// Package cli is what reaperd adds to the library that reads its command line:
//
//	AtMost, Any, SomeOf     arguments that say what they want
//	SpanOf, EndOf           times that a person gives
//	FromEnvironment         flags from variables: --log-level is REAPERD_LOG_LEVEL
//	Misread                 the library's errors in sentences, with where to look
//	RefuseStrayWords        no word is passed over in silence
//	Suggest                 commands under the names that other tools give them
//	Completions             the words that a shell offers
//	WriteManual             a man page of each command
//	Terminal                the streams of a command, what they can show, and a person to ask
//	WrapHelp                help screens that fit the terminal
package cli
