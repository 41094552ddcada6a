/** Programs that start the program of a package: `npx vitest`, `uv run pytest`. */
const launchers = 'npx|bunx|pnpx|pnpm|yarn|bun|uv run|poetry run|pipenv run|hatch run|python3? -m'
const words = 'exec|run|dlx|x|--yes|-y|--no-install'

/** Pattern of a command line that runs one of `programs`, directly or by a launcher. */
export function launched(programs: string): string {
  return `^(?:(?:${launchers})(?: (?:${words}))? )?(?:${programs})(?: |$)`
}

/** Prefix of a cross compiler: `aarch64-linux-gnu-gcc`. */
export const target = String.raw`(?:(?:x86_64|aarch64|arm|i[3-6]86|riscv\d\d|mips|powerpc|s390x|avr|wasm)[\w.-]{0,48}-)?`
const compilers = String.raw`(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|cl|nvcc|rustc)(?:-\d{1,3})?`

/** Pattern, not anchored, of a compiler command for one file. */
export const compileCommand = `(?:libtool: compile: +|ccache )?${target}${compilers} (?:.* )?-c(?: |$)`
