# The service, for a PostgreSQL of its own (DATABASE_URL). The image holds no embedded one.
# `npm run test:image` carries these steps out by hand, and runs what comes of them.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# All of them: the compiler looks at the optional ones, too. No package's script is let run.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run -s build

FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24-slim
# Nothing that installs or builds is left, only Node itself.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn* /opt/yarn*
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
COPY tools/health-check.mjs tools/health-check.mjs
# The base image's `node`, as numbers: Kubernetes can tell from them that it is not root. It owns
# nothing here, and writes to TMPDIR (/tmp) alone.
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["node", "tools/health-check.mjs"]
# Not through npm: signals reach the service itself.
CMD ["node", "dist/src/main.js"]
