import { fileURLToPath } from 'node:url'

const directory = fileURLToPath(
  new URL('../../../node_modules/.cache/countersign-tests/compiled', import.meta.url),
)

/** For the environment of Node: what it compiles is kept beside the packages, which takes a tenth off each start. */
export const compileCache = { NODE_COMPILE_CACHE: directory } as const
