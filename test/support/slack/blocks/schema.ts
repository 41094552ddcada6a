import { isRecord } from '../params.ts'

/** Adds to `problems` what is wrong with the value at this place, in Slack's words. */
export type Check = (value: unknown, at: string, problems: string[]) => void

export function problem(what: string, at: string): string {
  return `${what} [json-pointer:${at}]`
}

/** Text of `min` to `max` characters. */
export function string(max: number, min = 1): Check {
  return (value, at, problems) => {
    if (typeof value !== 'string') problems.push(problem('must be a string', at))
    else if (value.length > max) {
      problems.push(problem(`must be less than ${max + 1} characters`, at))
    } else if (value.length < min) {
      problems.push(problem(`must be more than ${min - 1} characters`, at))
    }
  }
}

export function url(max = 3000): Check {
  const length = string(max)
  return (value, at, problems) => {
    length(value, at, problems)
    const known = typeof value === 'string' && /^(https?|mailto|tel|slack):/i.test(value)
    if (!known || !URL.canParse(String(value))) problems.push(problem('invalid url', at))
  }
}

export function integer(min: number, max: number): Check {
  return (value, at, problems) => {
    if (typeof value !== 'number' || !Number.isInteger(value)) {
      problems.push(problem('must be an integer', at))
    } else if (value < min || value > max) {
      problems.push(problem(`must be between ${min} and ${max}`, at))
    }
  }
}

export const number: Check = (value, at, problems) => {
  if (typeof value !== 'number') problems.push(problem('must be a number', at))
}

export const boolean: Check = (value, at, problems) => {
  if (typeof value !== 'boolean') problems.push(problem('must be a boolean', at))
}

export function oneOf(...allowed: readonly unknown[]): Check {
  return (value, at, problems) => {
    if (!allowed.includes(value)) {
      problems.push(problem(`value must be one of: ${allowed.join(', ')}`, at))
    }
  }
}

export function list(item: Check, max: number, min = 1): Check {
  return (value, at, problems) => {
    if (!Array.isArray(value)) {
      problems.push(problem('must be an array', at))
      return
    }
    if (value.length > max) problems.push(problem(`no more than ${max} items allowed`, at))
    if (value.length < min) problems.push(problem(`no less than ${min} items allowed`, at))
    for (const [index, each] of value.entries()) item(each, `${at}/${index}`, problems)
  }
}

/** An object with these fields and no others. */
export function object(
  required: Readonly<Record<string, Check>>,
  optional: Readonly<Record<string, Check>> = {},
): Check {
  return (value, at, problems) => {
    if (!isRecord(value)) {
      problems.push(problem('must be an object', at))
      return
    }
    for (const name of Object.keys(required)) {
      if (value[name] === undefined) problems.push(problem(`missing required field: ${name}`, at))
    }
    for (const [name, field] of Object.entries(value)) {
      const check = required[name] ?? optional[name]
      if (check === undefined) problems.push(problem(`invalid additional property: ${name}`, at))
      else if (field !== undefined) check(field, `${at}/${name}`, problems)
    }
  }
}

/** One of several kinds of object, told apart by `type`. */
export function kinds(known: () => Readonly<Record<string, Check>>): Check {
  return (value, at, problems) => {
    const type = isRecord(value) ? value['type'] : undefined
    if (typeof type !== 'string') {
      problems.push(problem('missing required field: type', at))
      return
    }
    const check = Object.hasOwn(known(), type) ? known()[type] : undefined
    if (check === undefined) problems.push(problem(`unsupported type: ${type}`, `${at}/type`))
    else check(value, at, problems)
  }
}

/** Both, for what a list of fields cannot say. */
export function all(...checks: readonly Check[]): Check {
  return (value, at, problems) => {
    for (const check of checks) check(value, at, problems)
  }
}
