# Shem in an image of its own:
#   docker build -t shem .
#   docker run --rm -i shem - < problem.smt2
#   docker run --rm -v "$PWD:/work" shem --print-witness problem.smt2
FROM rust:1-slim-bookworm AS build
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN cargo build --release --locked -p shem && scripts/install target/release/shem /installed

FROM debian:bookworm-slim
COPY --from=build /installed /usr/local
WORKDIR /work
ENTRYPOINT ["shem"]
CMD ["--help"]
