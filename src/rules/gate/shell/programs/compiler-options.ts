import type { Options } from './options.ts'

/** Options of compilers and linkers that load code or read further options. */
export const compiler: Options = {
  words:
    '-wrapper -fplugin -specs -Xclang -load -B --plugin -plugin -iplugindir -fpass-plugin -fuse-ld --ld-path',
  // `@file` holds options that cannot be seen.
  any: /^(?:@|-B|-fplugin|-specs|-fuse-ld|-W[lap],(?:.*plugin|.*@)|-Xlinker|--config|--prefix|-ccc|--?gcc-toolchain)/,
}
