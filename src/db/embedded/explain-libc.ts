import { EmbeddedPostgresError } from './errors.ts'

/**
 * Adds to an error of PostgreSQL's programs that they need glibc, where this process runs on another C library, such as
 * the musl of Alpine.
 */
export function explainLibc(error: unknown, { platform, glibc } = here()): unknown {
  if (platform !== 'linux' || glibc !== undefined) return error
  const words = error instanceof Error ? error.message : String(error)
  return new EmbeddedPostgresError(`${needsGlibc} (${words})`, { cause: error })
}

const needsGlibc =
  'the PostgreSQL that comes with Countersign needs glibc, and this system has another C library, such as the musl of Alpine: set DATABASE_URL to a PostgreSQL of your own, or run Countersign on a system with glibc, such as Debian'

interface System {
  readonly platform: string
  /** Version of glibc in use, if any. */
  readonly glibc: string | undefined
}

function here(): System {
  const report: { readonly header?: { readonly glibcVersionRuntime?: string } } =
    process.report.getReport()
  return { platform: process.platform, glibc: report.header?.glibcVersionRuntime }
}
