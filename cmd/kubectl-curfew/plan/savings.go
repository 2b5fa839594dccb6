package plan

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	helper "k8s.io/component-helpers/resource"

	"curfew/scaler/decide"
)

// Usage is how much runs for how long. A replica that asks for no CPU or memory counts as a replica alone.
type Usage struct {
	ReplicaHours   float64 `json:"replicaHours"`
	CPUCoreHours   float64 `json:"cpuCoreHours"`
	MemoryGiBHours float64 `json:"memoryGiBHours"`
}

// Savings compares what is asked of a workload with its having its normal size all the time.
type Savings struct {
	Normal   int32 `json:"normal"` // in replicas
	AlwaysOn Usage `json:"alwaysOn"`
	Planned  Usage `json:"planned"`
	Saved    Usage `json:"saved"` // negative where the rules ask for more than normal
}

// request is what one replica asks for.
type request struct{ cpuCores, memoryGiB float64 }

// requestOf sums the requests of a pod as the scheduler does, sidecars and overhead included.
func requestOf(template corev1.PodTemplateSpec) request {
	sum := helper.PodRequests(&corev1.Pod{Spec: template.Spec}, helper.PodResourcesOptions{})
	return request{
		cpuCores:  sum.Cpu().AsApproximateFloat64(),
		memoryGiB: sum.Memory().AsApproximateFloat64() / gib,
	}
}

var gib = resource.NewQuantity(1<<30, resource.BinarySI).AsApproximateFloat64()

// usage is that of a number of replicas for some time.
func (r request) usage(replicas int32, d time.Duration) Usage {
	hours := float64(replicas) * d.Hours()
	return Usage{hours, hours * r.cpuCores, hours * r.memoryGiB}
}

func (u Usage) plus(v Usage) Usage {
	return Usage{u.ReplicaHours + v.ReplicaHours, u.CPUCoreHours + v.CPUCoreHours, u.MemoryGiBHours + v.MemoryGiBHours}
}

func (u Usage) minus(v Usage) Usage {
	return u.plus(Usage{-v.ReplicaHours, -v.CPUCoreHours, -v.MemoryGiBHours})
}

// plus sums the savings of several workloads, whose normal sizes it adds up.
func (s Savings) plus(t Savings) Savings {
	return Savings{s.Normal + t.Normal, s.AlwaysOn.plus(t.AlwaysOn), s.Planned.plus(t.Planned), s.Saved.plus(t.Saved)}
}

// save works out the savings from one instant to another for a workload of that normal size.
func save(w decide.Workload, normal int32, r request, from, to time.Time) Savings {
	s := Savings{Normal: normal, AlwaysOn: r.usage(normal, to.Sub(from))}
	for stretch := range stretches(w, from, to) {
		s.Planned = s.Planned.plus(r.usage(stretch.size.Of(normal), stretch.to.Sub(stretch.from)))
	}
	s.Saved = s.AlwaysOn.minus(s.Planned)
	return s
}
