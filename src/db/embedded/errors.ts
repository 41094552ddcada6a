/** The embedded PostgreSQL cannot be used here; the message says why and what to do. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError'
}

/** Another live process holds the data directory; `pid` is its process number. */
export class DataDirectoryInUse extends Error {
  override name = 'DataDirectoryInUse'
  readonly pid: number

  constructor(directory: string, pid: number) {
    super(
      `${directory} is in use by process ${pid}: stop it first, or choose another directory with COUNTERSIGN_DATA_DIR`,
    )
    this.pid = pid
  }
}
