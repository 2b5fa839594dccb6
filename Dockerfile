# One static binary in an otherwise empty image. It needs no shell, no CA bundle
# (the cluster's CA comes with the service account) and no zone files (they are
# compiled in), so there is nothing else to patch or to break into.
#
#   make image        or:  docker build --build-arg VERSION=v1.2.3 -t curfew .

# The compiler runs on the builder's own platform and builds for the target's.
FROM --platform=$BUILDPLATFORM golang:1.26.8 AS build
WORKDIR /src

# Modules first: this layer lasts until they change.
COPY go.mod go.sum ./
RUN go mod download

COPY . .
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=v0.0.0
ARG COMMIT=unknown
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -buildvcs=false \
      -ldflags="-s -w \
        -X k8s.io/component-base/version.gitVersion=$VERSION \
        -X k8s.io/component-base/version.gitCommit=$COMMIT" \
      -o /curfew ./cmd/curfew

FROM scratch
ARG VERSION=v0.0.0
ARG COMMIT=unknown
LABEL org.opencontainers.image.title="curfew" \
      org.opencontainers.image.description="Scales Kubernetes Deployments by the clock" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$COMMIT"
COPY --from=build /curfew /curfew
# A number, not a name: there is no /etc/passwd here, and runAsNonRoot wants one.
USER 65532:65532
# Health probes. Metrics listen on loopback unless told otherwise.
EXPOSE 8081
ENTRYPOINT ["/curfew"]
