# The programs of examples/orders, with what they need at run time. It only copies: `npm ci && npm run build` first.
# What may be copied is listed in .dockerignore.
ARG NODE_IMAGE=node:20-bookworm-slim
FROM ${NODE_IMAGE}
WORKDIR /app
ENV NODE_ENV=production
COPY . .
USER node
ENTRYPOINT ["node"]
CMD ["examples/orders/consumer.js"]
