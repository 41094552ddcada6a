/** Of a compiler for another machine: `aarch64-linux-gnu-gcc`. */
export const target = String.raw`(?:(?:x86_64|aarch64|arm|i[3-6]86|riscv\d\d|mips|powerpc|s390x|avr|wasm)[\w.-]{0,48}-)?`
const compilers = String.raw`(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|cl|nvcc|rustc)(?:-\d{1,3})?`

/** A compiler's command for one file, as a regular expression without its beginning. */
export const compileCommand = `(?:libtool: compile: +|ccache )?${target}${compilers} (?:.* )?-c(?: |$)`
