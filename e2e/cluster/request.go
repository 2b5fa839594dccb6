package cluster

import (
	"encoding/json"
	"fmt"
	"time"
)

// Request is one request as the API server saw it. A watch comes twice: when
// it begins, with Open set, and when it ends.
type Request struct {
	User      string // "system:serviceaccount:curfew:curfew"
	UserAgent string
	Verb      string // "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"
	URI       string

	// What it was about. All are empty for a request outside the API, such as
	// /healthz.
	Group, Resource, Subresource, Namespace, Name string

	Code     int // HTTP status
	Received time.Time
	Done     time.Time
	Open     bool // a watch that has begun

	// Body is what was sent, for writes to Deployments: the patch, or the
	// whole object.
	Body json.RawMessage

	// Annotations are what admission and authorisation noted.
	Annotations map[string]string
}

// IsWrite tells whether the request wanted to change something. It may have
// been refused, see Code.
func (r Request) IsWrite() bool {
	switch r.Verb {
	case "create", "update", "patch", "delete", "deletecollection":
		return true
	}
	return false
}

// Succeeded tells whether the request was carried out.
func (r Request) Succeeded() bool { return r.Code >= 200 && r.Code < 300 }

// String is the request on one line.
func (r Request) String() string {
	return fmt.Sprintf("%s %s %s by %s: %d %s", r.Received.Format("15:04:05.000"), r.Verb, r.URI, r.User, r.Code, r.Body)
}

// auditEvent is what we read of an audit.k8s.io/v1 Event.
type auditEvent struct {
	Kind, Stage, Verb, RequestURI, UserAgent string
	User                                     struct{ Username string }
	ObjectRef                                struct{ APIGroup, Resource, Subresource, Namespace, Name string }
	ResponseStatus                           struct{ Code int }
	RequestReceivedTimestamp, StageTimestamp time.Time
	RequestObject                            json.RawMessage
	Annotations                              map[string]string
}

func (e auditEvent) request() Request {
	return Request{
		User: e.User.Username, UserAgent: e.UserAgent, Verb: e.Verb, URI: e.RequestURI,
		Group: e.ObjectRef.APIGroup, Resource: e.ObjectRef.Resource, Subresource: e.ObjectRef.Subresource,
		Namespace: e.ObjectRef.Namespace, Name: e.ObjectRef.Name,
		Code: e.ResponseStatus.Code, Received: e.RequestReceivedTimestamp, Done: e.StageTimestamp,
		Open: e.Stage == "ResponseStarted",
		Body: e.RequestObject, Annotations: e.Annotations,
	}
}
