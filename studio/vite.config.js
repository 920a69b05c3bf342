// The page is one folder of files with relative addresses; the server embeds it.
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    outDir: process.env.KAUSAL_OUT ?? "dist",
    emptyOutDir: true,
    chunkSizeWarningLimit: 2000,
    reportCompressedSize: false,
  },
});
