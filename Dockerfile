# One static binary in an otherwise empty image. It needs no shell, no CA bundle
# (the cluster's CA comes with the service account) and no zone files (they are
# compiled in), so there is nothing else to patch or to break into.
#
# The binary is built before, by `make dist`, so that what is in the image is byte
# for byte what was released, and any tool can make the image of any architecture:
# nothing is downloaded and nothing is run.
#
#   make image        or:  make dist && docker build --build-arg VERSION=v1.2.3 -t curfew .

FROM scratch
ARG TARGETARCH
ARG VERSION=v0.0.0
ARG COMMIT=unknown
ARG SOURCE
LABEL org.opencontainers.image.title="curfew" \
      org.opencontainers.image.description="Scales Kubernetes Deployments by the clock" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="$SOURCE" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$COMMIT"
COPY dist/curfew-linux-$TARGETARCH /curfew
# A number, not a name: there is no /etc/passwd here, and runAsNonRoot wants one.
USER 65532:65532
# Health probes. Metrics listen on loopback unless told otherwise.
EXPOSE 8081
ENTRYPOINT ["/curfew"]
