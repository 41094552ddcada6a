import { openProduct } from '../src/app/open-product.ts'
import { silentLog } from '../src/util/log.ts'
import { benchConfig, benchEnvironment } from './support/open-bench.ts'

/**
 * `node bench/product.ts <data directory>`: the product in a process of its own, as `start` composes it. Tells its
 * parent when it is ready, and ends with the channel to it.
 */
const [dataDir = ''] = process.argv.slice(2)
const environment = benchEnvironment(dataDir)
const config = benchConfig(environment, dataDir)
const product = await openProduct({ config, environment, log: silentLog })
process.send?.({ kind: 'ready', postmaster: product.store.embedded?.pid })
process.once('disconnect', () => {
  void product[Symbol.asyncDispose]()
})
