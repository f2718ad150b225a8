import { join } from 'node:path';
import { defineConfig } from 'vite';
import { precompress } from './build/precompress.mjs';
import { stylesAfterSkeleton } from './build/styles-after-skeleton.mjs';

const SERVICE = process.env['SERVICE_URL'] ?? 'http://localhost:3000';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [stylesAfterSkeleton(), precompress()],
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2022',
    // The first to know light-dark(), which is written for older ones in a way that fails here.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // A data: URL would need an exception in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The grid's own code is large, and loaded with the grid alone. A test holds the first load.
    chunkSizeWarningLimit: 2_000,
    rolldownOptions: {
      // The console, and the page of public links, which shares no code with it.
      input: ['index.html', 'shared.html'].map((page) => join(import.meta.dirname, page)),
      checks: { bundlerTimings: false },
      onLog: (level, log, handle) => {
        // 'use client' says nothing to a browser.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
  // While developing: pages from here, everything else from the service.
  server: { proxy: { '/console/api': SERVICE } },
});
