// A simulated shoe behind a TCP port, `fairshoe sim --tcp`, and hands at it.
import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const FAIRSHOE = fileURLToPath(new URL('../../.venv/bin/fairshoe', import.meta.url));
const SPEED = '40';
export const DEVICE_KEY = Uint8Array.from({ length: 32 }, (_, n) => n);

export class SimulatedShoe {
  #process;
  #lines;

  static async start(...words) {
    const shoe = new SimulatedShoe();
    shoe.folder = mkdtempSync(join(tmpdir(), 'fairshoe-js-'));
    const key = join(shoe.folder, 'device.key');
    writeFileSync(key, `device ${Buffer.from(DEVICE_KEY).toString('hex')}\n`, { mode: 0o600 });
    const options = ['sim', '--tcp', '0', '--json', '--hands', '--speed', SPEED, '--key-file', key, '--mode', 'table', ...words];
    shoe.#process = spawn(FAIRSHOE, options, { stdio: ['pipe', 'pipe', 'inherit'] });
    shoe.#lines = createInterface({ input: shoe.#process.stdout })[Symbol.asyncIterator]();
    const { tcp } = JSON.parse((await shoe.#lines.next()).value);
    shoe.port = Number(tcp.split(':').at(-1));
    return shoe;
  }

  /** What hands do: 'load 52', 'take', 'cut'. Returns when it is done. */
  async act(words) {
    this.#process.stdin.write(`${words}\n`);
    await this.#lines.next();
  }

  stop() { this.#process.stdin.end('quit\n'); }
}
