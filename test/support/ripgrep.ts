import { createRequire } from 'node:module'

const { rgPath }: { rgPath: string } = createRequire(import.meta.url)('@vscode/ripgrep')

/** The ripgrep that comes with the product: a machine may have none of its own. */
export const ripgrep = rgPath
