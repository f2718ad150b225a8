import { defineConfig } from 'vite';

const SERVICE = process.env['SERVICE_URL'] ?? 'http://localhost:3000';

export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2022',
    // What is wanted by its file alone is wanted by no data: URL, which the policy of scripts forbids.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2_000,
    rolldownOptions: {
      onLog: (level, log, handle) => {
        // 'use client' says nothing to a browser.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
  // While developing: pages from here, everything else from the service.
  server: { proxy: { '/console/api': SERVICE } },
});
