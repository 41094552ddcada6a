# Countersign in containers. With a registry within reach `docker build .` is all. Without one, name images that are there:
#   BASE          any Debian or Ubuntu; one without Node gets the Node of the dependencies
#   DEPENDENCIES  an image that holds /app/node_modules (npm ci, scripts allowed), instead of asking npm: the bundle is built with it
#   PACKAGES      what commands find in a box; those that the base has are not installed
#   CLIENT        an image that holds /usr/local/bin/docker; only the target worker-docker takes it from there
ARG BASE=node:24-bookworm-slim
ARG DEPENDENCIES=install
ARG CLIENT=docker:28-cli

# What commands find: a box is either of this image, or a jail inside the worker that shows the worker's system.
FROM ${BASE} AS system
ARG PACKAGES="ca-certificates git ripgrep"
RUN set -eu; missing=; \
    for name in $PACKAGES; do dpkg-query -W "$name" >/dev/null 2>&1 || missing="$missing $name"; done; \
    [ -z "$missing" ] || { apt-get update && apt-get install -y --no-install-recommends $missing && rm -rf /var/lib/apt/lists/*; }

FROM ${BASE} AS install
ARG DEPENDENCIES
WORKDIR /app
COPY package.json package-lock.json ./
# Node is the base's own: nothing that builds the bundle needs a package's scripts.
RUN [ "$DEPENDENCIES" != install ] || npm ci --ignore-scripts --no-audit --no-fund

FROM ${DEPENDENCIES} AS dependencies

# Three trees: the service's files, the box's, and Node where the base has none. The bundle holds all packages that a service uses.
FROM system AS files
WORKDIR /build
COPY --from=dependencies /app/node_modules node_modules
COPY package.json package-lock.json ./
COPY build build
COPY migrations migrations
COPY src src
COPY LICENSE ./
RUN set -eu; mkdir -p /out/node/usr/local/bin /out/service/app /out/box/opt/countersign/executor; \
    command -v node >/dev/null || cp node_modules/node/bin/node /out/node/usr/local/bin/; \
    PATH="$PATH:/out/node/usr/local/bin" node build/main.ts; \
    find dist -name '*.map' -delete; \
    cp -r LICENSE package.json dist /out/service/app/; \
    cp dist/executor/main.mjs /out/box/opt/countersign/executor/; \
    chmod -R a+rX,go-w /out/service /out/box

# gateway, agent, worker, migrate, keys: one image, told apart by its command.
FROM system AS service
RUN set -eu; missing=; \
    for name in bubblewrap tini; do dpkg-query -W "$name" >/dev/null 2>&1 || missing="$missing $name"; done; \
    [ -z "$missing" ] || { apt-get update && apt-get install -y --no-install-recommends $missing && rm -rf /var/lib/apt/lists/*; }; \
    groupadd --gid 10001 countersign; \
    useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin countersign; \
    install -d -o 10001 -g 10001 -m 0700 /data; \
    install -d -o 10001 -g 10001 -m 0755 /keys /keys/agent /keys/worker /keys/postgres /keys/app /keys/redis; \
    install -d -m 0700 /var/lib/sealed /var/lib/sealed/proc
COPY --from=files /out/node/ /
COPY --from=files /out/service/ /
COPY docker/countersign docker/make-keys /usr/local/bin/
WORKDIR /app
ENV NODE_ENV=production COUNTERSIGN_DATA_DIR=/data COUNTERSIGN_HTTP_LISTEN=0.0.0.0:8420 COUNTERSIGN_LOGGING_FORMAT=json
USER 10001:10001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:8420/readyz`).then((it) => process.exit(it.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/tini", "--", "countersign"]
CMD ["start"]

# What the docker sandbox starts: the executor, which speaks over its standard input and output, and what commands find.
FROM system AS box
COPY --from=files /out/node/ /
COPY --from=files /out/box/ /
# The executor's own copy, which nobody may read: what runs from it no command can trace. Workers look for the label.
LABEL countersign.sealed-node=yes
RUN install -m 0711 "$(command -v node)" /opt/countersign/node; install -d -o 1000 -g 1000 /workspace
WORKDIR /workspace
ENV HOME=/workspace LANG=C.UTF-8
USER 1000:1000
ENTRYPOINT ["node", "--enable-experimental-regexp-engine", "/opt/countersign/executor/main.mjs"]

FROM ${CLIENT} AS client

# A worker whose boxes are containers of an engine: the one place for the engine's program.
FROM service AS worker-docker
COPY --from=client /usr/local/bin/docker /usr/local/bin/

# What `docker build .` makes.
FROM service
