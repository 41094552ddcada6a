import type { Assignment } from 'unbash'

/** SHELL-05: variables that change what a program prints, and nothing that it runs or opens. */
const harmless: ReadonlySet<string> = new Set(
  (
    'NODE_ENV CI TZ LANG LANGUAGE NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE TERM COLUMNS LINES DEBUG LOG_LEVEL ' +
    'RUST_LOG RUST_BACKTRACE APP_ENV RAILS_ENV RACK_ENV FLASK_ENV MIX_ENV ASPNETCORE_ENVIRONMENT PORT HUSKY VERBOSE ' +
    'PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE GOOS GOARCH CGO_ENABLED SOURCE_DATE_EPOCH'
  ).split(' '),
)

const plainValue = /^[\w.,:+@=%*-]{0,100}$/
const timeZone = /^[A-Z]\w{1,20}(?:\/\w{1,20}){0,2}$/

/** Why an assignment asks: all do but those of known names and plain values, since nobody knows all that is dangerous. */
export function assignmentHazard({
  name,
  text,
}: Pick<Assignment, 'name' | 'text'>): string | undefined {
  const isKnown = harmless.has(name) || /^LC_[A-Z]+$/.test(name)
  const value = /^[A-Za-z_]\w*=(["']?)(.*)\1$/s.exec(text)?.[2]
  const isPlain = value !== undefined && (name === 'TZ' ? timeZone : plainValue).test(value)
  return isKnown && isPlain ? undefined : `it sets a variable, ${name}, that may change what runs`
}
