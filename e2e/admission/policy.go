// Package admission runs Curfew's admission policy as the API server would, with
// the API server's own evaluator but without an API server: thousands of texts a
// second, and what each one costs.
package admission

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"
)

// Path is where the policy is, in Curfew's source tree.
func Path() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "..", "..", "deploy", "admission", "policy.yaml")
}

// Read reads a policy from a file of its own.
func Read(path string) (*admissionregistrationv1.ValidatingAdmissionPolicy, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{}
	return policy, yaml.UnmarshalStrict(text, policy)
}

// Evaluator is a compiled policy.
type Evaluator struct {
	conditions, validations, texts cel.ConditionEvaluator
}

// Compile compiles a policy as an API server of that release does, such as 1.37.
func Compile(policy *admissionregistrationv1.ValidatingAdmissionPolicy, release string) (*Evaluator, error) {
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(version.MustParseGeneric(release)))
	if err != nil {
		return nil, err
	}
	e := &Evaluator{}
	declared := cel.OptionalVariableDeclarations{}
	// New expressions are held to what the release has; stored ones might use more.
	const mode = environment.NewExpressions
	for _, v := range policy.Spec.Variables {
		variable := &validating.Variable{Name: v.Name, Expression: v.Expression}
		if result := compiler.CompileAndStoreVariable(variable, declared, mode); result.Error != nil {
			return nil, fmt.Errorf("variable %s: %w", v.Name, result.Error)
		}
	}
	var conditions, validations, texts []cel.ExpressionAccessor
	for i := range policy.Spec.MatchConditions {
		conditions = append(conditions, (*matchconditions.MatchCondition)(&policy.Spec.MatchConditions[i]))
	}
	for _, v := range policy.Spec.Validations {
		validations = append(validations, &validating.ValidationCondition{Expression: v.Expression})
		texts = append(texts, &validating.MessageExpressionCondition{MessageExpression: v.MessageExpression})
	}
	e.conditions = compiler.CompileCondition(conditions, declared, mode)
	e.validations = compiler.CompileCondition(validations, declared, mode)
	e.texts = compiler.CompileCondition(texts, declared, mode)
	return e, errors.Join(append(append(e.conditions.CompilationErrors(), e.validations.CompilationErrors()...), e.texts.CompilationErrors()...)...)
}

// Verdict is what the policy makes of one object.
type Verdict struct {
	Looked   bool     // the match conditions let it through to the validations
	Messages []string // what is wrong; none if nothing is
	Cost     Cost
}

// Cost is in the API server's units of CEL cost.
type Cost struct {
	Conditions int64 // of the match conditions, which may cost 2,500,000
	All        int64 // of validations and messages together, which may cost 10,000,000
}

// Review shows the policy an object as it comes and, if it is not new, as it was: a
// Namespace, or one of any kind, without a type. An error is what would make the API server apply the policy's failurePolicy.
func (e *Evaluator) Review(ctx context.Context, object, old kruntime.Object) (Verdict, error) {
	var v Verdict
	kind, resource := corev1.SchemeGroupVersion.WithKind("Namespace"), corev1.SchemeGroupVersion.WithResource("namespaces")
	if workload, ok := object.(*unstructured.Unstructured); ok {
		kind = workload.GroupVersionKind()
		resource, _ = meta.UnsafeGuessKindToResource(kind)
	}
	attributes := attributesOf(object, old, kind, resource)
	request := &admissionv1.AdmissionRequest{Kind: metav1.GroupVersionKind(kind), Resource: metav1.GroupVersionResource(resource), Operation: admissionv1.Operation(attributes.GetOperation())}
	evaluate := func(what cel.ConditionEvaluator, budget int64) ([]cel.EvaluationResult, int64, error) {
		results, left, err := what.ForInput(ctx, attributes, request, cel.OptionalVariableBindings{}, nil, budget)
		if err != nil {
			return nil, 0, err
		}
		for i, r := range results {
			if r.Error != nil {
				return nil, 0, fmt.Errorf("expression %d: %w", i, r.Error)
			}
		}
		return results, budget - left, nil
	}

	matches, cost, err := evaluate(e.conditions, celconfig.RuntimeCELCostBudgetMatchConditions)
	if v.Cost.Conditions = cost; err != nil {
		return v, fmt.Errorf("match conditions: %w", err)
	}
	for _, m := range matches {
		if m.EvalResult.Value() != true {
			return v, nil
		}
	}
	v.Looked = true
	results, cost, err := evaluate(e.validations, celconfig.RuntimeCELCostBudget)
	if err != nil {
		return v, fmt.Errorf("validations: %w", err)
	}
	texts, more, err := evaluate(e.texts, celconfig.RuntimeCELCostBudget-cost)
	if err != nil {
		return v, fmt.Errorf("messages: %w", err)
	}
	v.Cost.All = cost + more
	for i, r := range results {
		if r.EvalResult.Value() == true {
			continue
		}
		text, ok := texts[i].EvalResult.Value().(string)
		if !ok || text == "" {
			return v, fmt.Errorf("validation %d has no message of its own", i)
		}
		v.Messages = append(v.Messages, text)
	}
	return v, nil
}

func attributesOf(object, old kruntime.Object, kind schema.GroupVersionKind, resource schema.GroupVersionResource) *admission.VersionedAttributes {
	operation := admission.Create
	if old != nil {
		operation = admission.Update
	}
	record := admission.NewAttributesRecord(object, old, kind, "default", "name", resource, "", operation, nil, false, nil)
	return &admission.VersionedAttributes{Attributes: record, VersionedObject: admission.NewLazyObject(object), VersionedOldObject: admission.NewLazyObject(old), VersionedKind: kind}
}
