/** What one box may use of the host; enforced as far as the host allows (DECISIONS 30). */
export interface BoxLimits {
  /** Processes and threads. */
  readonly pids: number
  readonly memoryBytes: number
  /** Processors' worth of time; 1.5 is one and a half. */
  readonly cpus: number
  /** Size of `/tmp` where it is the box's own; part of `memoryBytes` as far as it is used. */
  readonly tmpBytes: number
}

/** The engine of the docker driver. */
export interface DockerOptions {
  /** Its program: a path, or the name of one in the system's folders; `docker` or `podman`. */
  readonly program: string
  /** The image of boxes: Node and bash, and what commands find. */
  readonly image: string
  /** What the program may see of our environment: how to reach its engine. Boxes see nothing of it. */
  readonly environment: Readonly<Record<string, string>>
}

/** What every driver needs to start the executor. All paths absolute. */
export interface SandboxOptions {
  /** Source folder of the executor (`src/executor`), entry `main.ts`. */
  readonly executorDir: string
  /** Ours alone; keeps the executor as plain JavaScript and the made-up `/etc`. */
  readonly cacheDir: string
  /** The running Node's `process.execPath`. */
  readonly nodeBinary: string
  /** A ripgrep binary; without it the executor searches by itself. */
  readonly rgBinary?: string
  /** Bubblewrap's program; looked for in the system's folders unless given. */
  readonly bwrapBinary?: string
  /** Without it there is no docker driver. */
  readonly docker?: DockerOptions
  /** Below it lie the workspaces that this product made and may move; others are left where they are. */
  readonly workspacesDir?: string
  /** The one workspace that an operator chose for all: boxes see it under its own name. */
  readonly keptWorkspace?: string
  /** Where root puts what an unprivileged uid must reach; `/var/lib/countersign` unless given. */
  readonly reachableRoot?: string
  /** Where the copy of Node lies that boxes run; below `reachableRoot` for root, else `cacheDir`, unless given. */
  readonly programsDir?: string
  /** `PATH` of commands under the process driver; the system's folders unless given. */
  readonly path?: string
  readonly limits?: BoxLimits
  /** The network of boxes whose commands are to have one; only an engine has any that is not the host's (BASH-06). */
  readonly network?: string
}

export const defaultLimits: BoxLimits = {
  pids: 512,
  memoryBytes: 2 * 1024 ** 3,
  cpus: 2,
  tmpBytes: 256 * 1024 ** 2,
}

/** Where the copy of Node that boxes run is kept: one for all products of root. */
export function programsDirOf(options: SandboxOptions): string {
  const usual = process.getuid?.() === 0 ? reachableRootOf(options) : options.cacheDir
  return options.programsDir ?? usual
}

/** Where root keeps copies and moved workspaces for boxes with a uid of their own. */
export function reachableRootOf(options: SandboxOptions): string {
  return options.reachableRoot ?? '/var/lib/countersign'
}
