import { buildIfChanged } from '../../build/product.ts'
import { installPacked } from '../../test/build/install-packed.ts'
import { toFigure } from '../support/figure.ts'
import type { Measurement } from '../support/measurement.ts'

/** SHIP-02: what `npm publish` sends, and what `npm install --global` leaves on a disk. */
export const packed: Measurement = {
  name: 'package',
  about: 'the published package: the packed file, and all that an installation of it holds',
  measure: async () => {
    await buildIfChanged()
    await using installed = await installPacked()
    const aim = (atMost: number) => ({ aim: { of: 'median', atMost } }) as const
    return [
      toFigure('packed', 'MB', [installed.packedBytes / 1e6], aim(6)),
      toFigure(
        'installed, with PostgreSQL and ripgrep',
        'MB',
        [installed.installedBytes / 1e6],
        aim(90),
      ),
    ]
  },
}
