import { buildIfChanged, buildProduct } from './product.ts'

/** Run by `npm run build`; with `--if-changed`, as after `npm ci`, what is of the present sources stays. */
async function main(isUnconditional: boolean): Promise<void> {
  try {
    if (isUnconditional) await buildProduct()
    else await buildIfChanged()
  } catch (error) {
    const isMissing =
      error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    if (!isMissing) throw error
    process.stderr.write(`${withoutBundler}\n`)
    process.exitCode = 1
  }
}

const withoutBundler = `dist/ is not of these sources, and what builds it is not installed.
Run "npm ci" without --omit=dev; "npm prune --omit=dev" then removes what only building needs.`

await main(!process.argv.includes('--if-changed'))
