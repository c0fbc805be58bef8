/** How the application is built; server/boot/web.ts does it. No file is inlined, since the pages' policy lets nothing run but files of ours. */
import { defineConfig } from 'vite'

// What several rooms share is one file: in pieces a browser would have more to ask for at once than it has connections.
const shared = /portal\/(?:parts|records\/(?:files|values|shown\.rules|kinds))/

export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2024',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: true,
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', test: shared }] } } },
  },
})
