/** An option whose value names code to load or run. */
export interface CodeOption {
  /** The option's names as written. */
  readonly names: readonly string[]
  /** Values that name nothing in the workspace, or what the program would load anyway; none: every value asks. */
  readonly safe: RegExp | undefined
}

/** A configuration file by its usual name: `vite.config.ts`, `gunicorn.conf.py`. */
export const configFile =
  /^(?:\.\/)?(?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.conf(?:ig)?\.(?:[cm]?[jt]s|json|py)$/

/** A pattern for one of these values, separated by `|`. */
export function formats(names: string): RegExp {
  return new RegExp(`^(?:${names})$`)
}

/** Creates an entry, such as `-x --xyz`: an option that always asks, or that asks except for the given values. */
export function option(names: string, safe?: RegExp): CodeOption {
  return { names: names.split(' '), safe }
}
