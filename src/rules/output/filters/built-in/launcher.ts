/** Programs of package managers that start another: `npx vitest`, `uv run pytest`. */
const launchers = 'npx|bunx|pnpx|pnpm|yarn|bun|uv run|poetry run|pipenv run|hatch run|python3? -m'
const words = 'exec|run|dlx|x|--yes|-y|--no-install'

/** A regular expression for a command of these programs, however it is started. */
export function launched(programs: string): string {
  return `^(?:(?:${launchers})(?: (?:${words}))? )?(?:${programs})(?: |$)`
}
