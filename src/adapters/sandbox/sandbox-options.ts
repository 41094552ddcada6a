/** Limits of one box, enforced as far as the host allows (DECISIONS 30). */
export interface BoxLimits {
  /** Number of processes and threads. */
  readonly pids: number
  readonly memoryBytes: number
  /** Number of processors; 1.5 is one and a half. */
  readonly cpus: number
  /** Size of `/tmp` if it belongs to the box; used parts count towards `memoryBytes`. */
  readonly tmpBytes: number
}

/** The engine of the docker driver. */
export interface DockerOptions {
  /** Program: a path, or `docker` or `podman` in the system's directories. */
  readonly program: string
  /** Image of boxes, with Node, bash and the programs for commands. */
  readonly image: string
  /** Environment of the program, for reaching its engine; not visible in boxes. */
  readonly environment: Readonly<Record<string, string>>
}

/** Options of all drivers. Paths are absolute. */
export interface SandboxOptions {
  /** Source directory of the executor (`src/executor`), with `main.ts`. */
  readonly executorDir: string
  /** Private directory for the executor as plain JavaScript and the synthetic `/etc`. */
  readonly cacheDir: string
  /** `process.execPath` of the running Node. */
  readonly nodeBinary: string
  /** Ripgrep binary; without it the executor uses its own search. */
  readonly rgBinary?: string
  /** Bubblewrap binary; by default found in the system's directories. */
  readonly bwrapBinary?: string
  /** Required for the docker driver. */
  readonly docker?: DockerOptions
  /** Directory of the workspaces that the product created and may move; others stay in place. */
  readonly workspacesDir?: string
  /** The single workspace chosen by the operator, which keeps its path in boxes. */
  readonly keptWorkspace?: string
  /** Directory for files that unprivileged users must reach, used by root; `/var/lib/countersign` by default. */
  readonly reachableRoot?: string
  /** Directory of the copy of Node for boxes; by default `reachableRoot` for root, otherwise `cacheDir`. */
  readonly programsDir?: string
  /** `PATH` of commands with the process driver; the system's directories by default. */
  readonly path?: string
  readonly limits?: BoxLimits
  /** Network of boxes that may use one; only the docker driver has one apart from the host's (BASH-06). */
  readonly network?: string
}

export const defaultLimits: BoxLimits = {
  pids: 512,
  memoryBytes: 2 * 1024 ** 3,
  cpus: 2,
  tmpBytes: 256 * 1024 ** 2,
}

/** Directory of the copy of Node for boxes; root has one for all installations. */
export function programsDirOf(options: SandboxOptions): string {
  const usual = process.getuid?.() === 0 ? reachableRootOf(options) : options.cacheDir
  return options.programsDir ?? usual
}

/** Directory in which root keeps copies and moved workspaces for boxes with a user of their own. */
export function reachableRootOf(options: SandboxOptions): string {
  return options.reachableRoot ?? '/var/lib/countersign'
}

/** A driver cannot start boxes on this machine; the message states the reason and a remedy. */
export class SandboxUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SandboxUnavailable'
  }
}

/** Throws if boxes should have a network but the driver could only share the host's (BASH-06). */
export function assertNoNetwork(driver: string, { network }: SandboxOptions): void {
  if (network === undefined) return
  throw new SandboxUnavailable(
    `${driver} could give commands no network but the host's, which reaches everything here: [sandbox] network needs [sandbox] driver = "docker" (docker.io or podman, and the image of boxes)`,
  )
}
