# Two stages: build with the toolchain, run with nothing but the binary.
# A static binary (musl) needs no base image: no shell, no libraries, no package manager to attack.
FROM rust:1.95-alpine AS build
RUN apk add --no-cache musl-dev
WORKDIR /source
COPY Cargo.toml Cargo.lock ./
COPY src ./src
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/source/target \
    cargo build --locked --release --bin mcp-filesystem \
    && cp target/release/mcp-filesystem /mcp-filesystem

FROM scratch
COPY --from=build /mcp-filesystem /mcp-filesystem
COPY config/container.yaml /config/mcp-filesystem.yaml
# Nobody: files created in a mounted volume belong to this user.
USER 65534:65534
EXPOSE 8091
ENTRYPOINT ["/mcp-filesystem"]
CMD ["--config", "/config/mcp-filesystem.yaml"]
