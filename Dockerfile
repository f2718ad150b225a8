# The service, for a PostgreSQL of its own (DATABASE_URL). The image holds no embedded one.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# All of them: the compiler looks at the optional ones, too.
RUN npm ci
COPY . .
RUN npm run -s build

FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional && npm cache clean --force

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
COPY tools tools
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["node", "-e", \
  "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health/live`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Not through npm: signals reach the service itself.
CMD ["node", "dist/src/main.js"]
