/** Finding of one check of `doctor`. */
export interface Finding {
  /** `fail`: Countersign cannot work. `warn`: it works, but a person should know. */
  readonly level: 'ok' | 'warn' | 'fail'
  readonly what: string
  readonly finding: string
  /** How to fix it. */
  readonly mend?: string
}

export function ok(what: string, finding: string): Finding {
  return { level: 'ok', what, finding }
}

export function warn(what: string, finding: string, mend: string): Finding {
  return { level: 'warn', what, finding, mend }
}

export function fail(what: string, finding: string, mend: string): Finding {
  return { level: 'fail', what, finding, mend }
}
