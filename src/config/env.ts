import { userInfo } from 'node:os'

/** The environment as it was at start. It holds secrets: printing it shows nothing of them. */
export class Environment {
  readonly #variables: ReadonlyMap<string, string>

  constructor(variables: Readonly<Record<string, string | undefined>>) {
    const set = Object.entries(variables).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
    )
    this.#variables = new Map(set)
  }

  /** The value of a variable; one that is empty is unset. */
  get(name: string): string | undefined {
    return this.#variables.get(name)
  }

  /** The same with some variables set otherwise, as by a command's options. */
  with(variables: Readonly<Record<string, string>>): Environment {
    return new Environment({ ...Object.fromEntries(this.#variables), ...variables })
  }

  /** The names of all variables that are set. */
  names(): readonly string[] {
    return [...this.#variables.keys()]
  }

  /** Whether this runs unattended in continuous integration. */
  get ci(): boolean {
    return !['false', '0', undefined].includes(this.get('CI')?.toLowerCase())
  }

  get home(): string | undefined {
    return this.get('HOME')
  }

  /** The name of the person at the terminal, for `console:<os user>`. */
  get user(): string {
    return this.get('USER') ?? this.get('LOGNAME') ?? osUser()
  }

  get term(): string | undefined {
    return this.get('TERM')
  }

  /** Width of the terminal in characters, where the environment tells it. */
  get columns(): number | undefined {
    const columns = this.get('COLUMNS')
    return columns && /^[1-9]\d{0,4}$/u.test(columns) ? Number(columns) : undefined
  }

  /** https://no-color.org: set to anything, colours are off. */
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
 * Does `work` while this process's environment shows no variable that begins so: a library that reads it by itself then knows only
 * what it is told. What it reads later it finds.
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

/** A container may run under a number that has no name. */
function osUser(): string {
  try {
    return userInfo().username
  } catch {
    return 'unknown'
  }
}
