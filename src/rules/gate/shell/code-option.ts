/** An option of a program that loads or runs what its value names. */
export interface CodeOption {
  /** The option's names, as they are written. */
  readonly names: readonly string[]
  /** Values that name nothing of the workspace, or what the program would load anyway; none: every value asks. */
  readonly safe: RegExp | undefined
}

/** A file of settings by its usual name: `vite.config.ts`, `gunicorn.conf.py`. */
export const configFile =
  /^(?:\.\/)?(?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.conf(?:ig)?\.(?:[cm]?[jt]s|json|py)$/

/** A pattern for one of these values, parted by `|`. */
export function formats(names: string): RegExp {
  return new RegExp(`^(?:${names})$`)
}

/** `-x --xyz` for options that always ask, or with the values that do not. */
export function option(names: string, safe?: RegExp): CodeOption {
  return { names: names.split(' '), safe }
}
