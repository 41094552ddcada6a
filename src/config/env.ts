import { userInfo } from 'node:os'

/** The environment at process start. It holds secrets, so printing it shows no values. */
export class Environment {
  readonly #variables: ReadonlyMap<string, string>

  constructor(variables: Readonly<Record<string, string | undefined>>) {
    const set = Object.entries(variables).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
    )
    this.#variables = new Map(set)
  }

  /** The value of a variable; an empty one counts as unset. */
  get(name: string): string | undefined {
    return this.#variables.get(name)
  }

  /** A copy with some variables replaced, for instance by a command's options. */
  with(variables: Readonly<Record<string, string>>): Environment {
    return new Environment({ ...Object.fromEntries(this.#variables), ...variables })
  }

  /** The names of all set variables. */
  names(): readonly string[] {
    return [...this.#variables.keys()]
  }

  /** Whether the process runs in continuous integration. */
  get ci(): boolean {
    return !['false', '0', undefined].includes(this.get('CI')?.toLowerCase())
  }

  get home(): string | undefined {
    return this.get('HOME')
  }

  /** The user name at the terminal, for `console:<os user>`. */
  get user(): string {
    return this.get('USER') ?? this.get('LOGNAME') ?? osUser()
  }

  get term(): string | undefined {
    return this.get('TERM')
  }

  /** Width of the terminal in characters, if the environment has it. */
  get columns(): number | undefined {
    const columns = this.get('COLUMNS')
    return columns && /^[1-9]\d{0,4}$/u.test(columns) ? Number(columns) : undefined
  }

  /** https://no-color.org: any value turns colours off. */
  get noColor(): boolean {
    return this.get('NO_COLOR') !== undefined
  }

  get xdgRuntimeDir(): string | undefined {
    return this.get('XDG_RUNTIME_DIR')
  }

  get path(): string | undefined {
    return this.get('PATH')
  }

  get lang(): string | undefined {
    return this.get('LANG')
  }

  get tz(): string | undefined {
    return this.get('TZ')
  }
}

/** This process's environment. */
export function readEnvironment(): Environment {
  return new Environment(process.env)
}

/**
 * Runs `work` while this process's environment hides all variables with the prefix, for libraries that read the environment
 * themselves. Reads after `work` see the variables again.
 */
export function withoutVariables<T>(prefix: string, work: () => T): T {
  const hidden = Object.entries(process.env).filter(([name]) => name.startsWith(prefix))
  for (const [name] of hidden) delete process.env[name]
  try {
    return work()
  } finally {
    Object.assign(process.env, Object.fromEntries(hidden))
  }
}

/** A container may run under a numeric user id without a name. */
function osUser(): string {
  try {
    return userInfo().username
  } catch {
    return 'unknown'
  }
}
