/** The embedded PostgreSQL cannot run here. The message gives the reason and a remedy. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError'
}

/** Another live process holds the data directory; `pid` is its process id. */
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
