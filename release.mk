# What a release is made of: static programs, an image of them for two kinds of
# machine, and what is in them. The same commit, Go and VERSION give the same bytes.
#
#   make dist            the programs, in dist/, with their sums
#   make image           the image for this machine, with docker or podman
#   make image-oci       the image for all machines, in dist/image, with buildah
#   make image-check     the same, taken apart and run from an empty root
#   make verify          all that can be said about a release

# The programs and where they run. Curfew runs in a cluster, the plugin on a desk.
CURFEW_PLATFORMS ?= linux/amd64 linux/arm64
PLUGIN_PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64

# Where people find the source, which the image says. There is no public home yet.
SOURCE ?= https://example.com/curfew
# What every timestamp in an image says: when the commit was made.
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)

# Nothing of the environment gets in: neither flags nor a CPU's level, C or a workspace.
DIST_ENV := GOFLAGS= GOWORK=off CGO_ENABLED=0 GOAMD64=v1 GOARM64=v8.0 GOEXPERIMENT=
DIST_BUILD := $(GO) build -trimpath -mod=readonly -buildvcs=false -ldflags '$(LDFLAGS)'

# programs NAME,PLATFORMS builds one program for each of them.
define programs
@echo '--- $(1) $(VERSION)'
@rm -f dist/$(1)-* && mkdir -p dist
@set -e; for platform in $(2); do \
  os=$${platform%/*}; arch=$${platform#*/}; suffix=; [ $$os != windows ] || suffix=.exe; \
  $(DIST_ENV) GOOS=$$os GOARCH=$$arch $(DIST_BUILD) -o dist/$(1)-$$os-$$arch$$suffix ./cmd/$(1); \
  chmod 0755 dist/$(1)-$$os-$$arch$$suffix; \
done
endef

.PHONY: dist
dist: dist-curfew dist-plugin ## Build the programs for every platform into dist/, reproducibly
	@cd dist && LC_ALL=C sha256sum *curfew-* > SHA256SUMS && cat SHA256SUMS

.PHONY: dist-curfew
dist-curfew:
	$(call programs,curfew,$(CURFEW_PLATFORMS))

.PHONY: dist-plugin
dist-plugin:
	$(call programs,kubectl-curfew,$(PLUGIN_PLATFORMS))

IMAGE_ARGS = --build-arg VERSION=$(VERSION) --build-arg COMMIT=$(COMMIT) --build-arg SOURCE=$(SOURCE)
HOST_ARCH = $(shell $(GO) env GOHOSTARCH)

.PHONY: image
image: ## Build the container image for this machine's architecture
	@$(MAKE) --no-print-directory dist-curfew CURFEW_PLATFORMS=linux/$(HOST_ARCH)
	$(CONTAINER_TOOL) build --platform linux/$(HOST_ARCH) $(IMAGE_ARGS) -t $(IMAGE) .

# A store of its own, so that it neither needs nor changes the machine's. Nothing is
# run in the image, so no architecture has to be emulated and no daemon asked. One
# after the other, for the index lists them in the order in which they get ready.
BUILDAH = buildah --storage-driver vfs --root dist/.store/root --runroot dist/.store/run

.PHONY: image-oci
image-oci: dist-curfew ## Build the image for all architectures into dist/image (buildah)
	@echo '--- image'
	@command -v buildah >/dev/null || { echo 'buildah is missing: make release-tools'; exit 1; }
	@rm -rf dist/image dist/.store && mkdir -p dist/.store
	@set -e; for platform in $(CURFEW_PLATFORMS); do \
	  $(BUILDAH) build --isolation chroot --timestamp $(SOURCE_DATE_EPOCH) --identity-label=false $(IMAGE_ARGS) \
	    --platform $$platform --manifest curfew .; \
	done
	$(BUILDAH) manifest push --all curfew oci:dist/image:$(VERSION)
	@rm -rf dist/.store

.PHONY: image-check
image-check: image-oci ## Take the image of image-oci apart, and run it
	@echo '--- image-check'
	cd e2e && CURFEW_IMAGE=$(CURDIR)/dist/image CURFEW_IMAGE_STAMPS='$(VERSION) $(COMMIT) $(SOURCE)' $(GO) test -count=1 -v ./image

.PHONY: release-tools
release-tools: ## Install buildah, where there is apt and none yet
	@command -v buildah >/dev/null || { \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends buildah; }

CYCLONEDX_VERSION := v1.10.0
CYCLONEDX := $(CURDIR)/bin/cyclonedx-gomod-$(CYCLONEDX_VERSION)
GOVULNCHECK_VERSION := v1.9.0
GOVULNCHECK := $(CURDIR)/bin/govulncheck-$(GOVULNCHECK_VERSION)

$(CYCLONEDX):
	@echo '--- building cyclonedx-gomod $(CYCLONEDX_VERSION) (a minute, once)'
	GOBIN=$(CURDIR)/bin $(GO) install github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@$(CYCLONEDX_VERSION)
	mv bin/cyclonedx-gomod $@

$(GOVULNCHECK):
	@echo '--- building govulncheck $(GOVULNCHECK_VERSION) (a minute, once)'
	GOBIN=$(CURDIR)/bin $(GO) install golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION)
	mv bin/govulncheck $@

# Read from the programs themselves, so it lists what is in them, and not what go.mod
# would allow. Neither number nor time of the listing: the same program, the same list.
.PHONY: sbom
sbom: dist $(CYCLONEDX) ## List what the programs are made from (CycloneDX), in dist/
	@echo '--- sbom'
	@set -e; for program in $$(cd dist && ls | grep -E '^(kubectl-)?curfew-[a-z0-9]+-[a-z0-9]+(\.exe)?$$'); do \
	  GOFLAGS= $(CYCLONEDX) bin -json -licenses -std -noserial -notimestamp -version '$(VERSION)' -output dist/$$program.cdx.json dist/$$program \
	    2>dist/.log || { cat dist/.log; exit 1; }; \
	done; rm dist/.log; ls dist/*.cdx.json

.PHONY: licences
licences: sbom ## Check the licence of everything that is in the programs
	@echo '--- licences'
	cd e2e && CURFEW_DIST=$(CURDIR)/dist $(GO) test -count=1 -v -run '^TestLicences$$' ./image

# Somewhere else, with nothing compiled before. The plugin is one platform only: each
# is compiled from nothing, which takes minutes.
.PHONY: reproduce
reproduce: image-oci dist ## Build again in another folder from nothing, and compare
	@echo '--- reproduce (minutes)'
	@set -e; there=$$(mktemp -d); trap 'rm -rf "$$there"' EXIT; mkdir "$$there/src"; \
	git ls-files -z --cached --others --exclude-standard -- . ':!e2e' | xargs -0 cp --parents -t "$$there/src"; \
	GOCACHE="$$there/cache" $(MAKE) --no-print-directory -C "$$there/src" image-oci dist-plugin PLUGIN_PLATFORMS=linux/amd64 \
	  GO=$(GO) VERSION=$(VERSION) COMMIT=$(COMMIT) SOURCE=$(SOURCE) SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) >"$$there/log" 2>&1 || { tail -20 "$$there/log"; exit 1; }; \
	for file in $$(cd "$$there/src/dist" && ls *curfew-*) image/index.json; do \
	  cmp "$$there/src/dist/$$file" "dist/$$file"; sha256sum "dist/$$file"; \
	done

# The database is on the network. Without it nothing is known, and that is no pass:
# OFFLINE=1 says that you know. VULNDB names a copy of it.
VULNDB ?= https://vuln.go.dev
.PHONY: vulnerabilities
vulnerabilities: $(GOVULNCHECK) ## Look for known vulnerabilities that the programs can reach
	@echo '--- vulnerabilities'
	@out=$$(mktemp); trap 'rm -f "$$out"' EXIT; $(GOVULNCHECK) -db $(VULNDB) ./... 2>&1 | tee "$$out"; \
	if grep -q '^govulncheck: fetching vulnerabilities' "$$out"; then \
	  echo 'vulnerabilities: NOT CHECKED, for $(VULNDB) is out of reach (OFFLINE=1 to go on all the same)'; test -n '$(OFFLINE)'; \
	else grep -qE '^(No vulnerabilities found|Your code is affected by 0 vulnerabilities)' "$$out"; fi

.PHONY: verify
verify: licences image-check reproduce vulnerabilities ## Check a release: contents, licences, image, reproducibility, vulnerabilities
