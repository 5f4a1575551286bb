// The package as others get it: its types say what the code does, and the core needs nothing but the web's own globals.
// There is no TypeScript compiler here: Node parses the declarations, and names, members and parameters are compared.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { PREFIX, ScriptedDevice, settle, TABLE_KEY } from './scripted_device.mjs';

const ROOT = new URL('../../host_tools/fairshoe-js/', import.meta.url), SRC = new URL('src/', ROOT);
const read = name => readFileSync(new URL(name, SRC), 'utf8');
const NAMES = readdirSync(SRC).filter(name => name.endsWith('.js') && name !== 'decode.js').map(name => name.slice(0, -3));
const GLOBAL_TYPES = ['Array', 'AsyncGenerator', 'AsyncIterable', 'Date', 'Error', 'Extract', 'Generator', 'Iterable', 'Map', 'Omit', 'Promise',
  'ReadableStream', 'Record', 'Uint8Array', 'WritableStream'];

/** What a declaration file exports, as { values: Map(name -> declaration), types: Set(name) }. */
function declared(name) {
  const text = read(`${name}.d.ts`), values = new Map(), types = new Set();
  for (const [, kind, word, rest] of text.matchAll(/^export declare (const|function|class) (\w+)([\s\S]*?)(?=^export|^interface|^type|$(?![\s\S]))/gm))
    values.set(word, { kind, rest });
  for (const [, word] of text.matchAll(/^export (?:type|interface) (\w+)/gm)) types.add(word);
  for (const [, type, words, from] of text.matchAll(/^export (type )?\{ ([^}]+) \} from '\.\/(\w+)\.js';/gm))
    for (const word of words.split(', ')) type ? types.add(word) : values.set(word, declared(from).values.get(word));
  return { text, values, types: types.union(new Set(values.keys())) };
}

/** How many parameters stand before the first optional one: what Function.length says. */
function required(signature) {
  let depth = 0, text = '';
  for (const character of signature.slice(signature.indexOf('(') + 1)) {
    if (character === ')' && depth === 0) break;
    if ('({[<'.includes(character)) depth++;
    if (')}]'.includes(character) || (character === '>' && !text.endsWith('='))) depth--;
    text += depth === 0 ? character : '_';
  }
  const parameters = text.split(',').map(word => word.trim()).filter(Boolean);
  const first = parameters.findIndex(word => /^\.\.\.|^\w+\?/.test(word));
  return first < 0 ? parameters.length : first;
}

/** Public members in the body of a declared class, without the constructor; static ones begin with `static `. */
const membersOf = rest => new Set([...rest.matchAll(/^ {2}(static )?(?:get )?(\w+)[<(:]/gm)].map(([, fixed, name]) => (fixed ?? '') + name)
  .filter(name => name !== 'constructor' && name !== 'private'));

for (const name of NAMES) {
  test(`${name}.d.ts parses and declares what ${name}.js exports`, async () => {
    const { text, values } = declared(name), module = await import(new URL(`${name}.js`, SRC));
    stripTypeScriptTypes(text);
    assert.deepEqual([...values.keys()].sort(), Object.keys(module).sort());
    for (const [word, { kind, rest }] of values) {
      const value = module[word];
      if (kind === 'function') assert.equal(value.length, required(rest), `parameters of ${word}`);
      if (kind !== 'class') continue;
      const members = membersOf(rest);
      const real = [...Object.getOwnPropertyNames(value.prototype), ...Object.getOwnPropertyNames(value).map(own => `static ${own}`)]
        .filter(own => !['constructor', 'static length', 'static name', 'static prototype'].includes(own));
      assert.deepEqual(real.filter(own => !members.has(own)), [], `${word} has members that are not declared`);
      const fields = new Set([...read(declaredIn(name, word)).matchAll(/^ {2}(\w+) =|this\.(\w+) =|Object\.assign\(this, \{([^}]*)\}/gm)]
        .flatMap(([, field, set, all]) => (field ?? set ?? all).split(',').map(part => part.trim())));
      for (const member of members) assert.ok(real.includes(member) || fields.has(member) || member === 'op', `${word}.${member} does not exist`);
    }
  });

  test(`${name}.d.ts uses only types that exist`, () => {
    const { text, types } = declared(name), known = new Set([...GLOBAL_TYPES, ...types]);
    for (const [, words, from] of text.matchAll(/^(?:import|export) (?:type )?\{ ([^}]+) \} from '\.\/(\w+)\.js';/gm)) {
      const theirs = declared(from).types;
      for (const word of words.split(', ')) { assert.ok(theirs.has(word), `${from}.d.ts has no ${word}`); known.add(word); }
    }
    for (const [, word] of text.matchAll(/^(?:type|interface) (\w+)/gm)) known.add(word);
    const bare = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'|`[^`]*`/g, '');
    for (const [word] of bare.matchAll(/\b[A-Z][a-z]\w*\b/g)) assert.ok(known.has(word), `${word} is declared nowhere`);
  });
}

function declaredIn(name, word) {                        // index.js only passes on
  const from = read(`${name}.js`).match(new RegExp(`^export \\{[^}]*\\b${word}\\b[^}]*\\} from '\\./(\\w+)\\.js'`, 'm'));
  return `${from ? from[1] : name}.js`;
}

test('a check of types that notices nothing would be worthless', () => {
  assert.equal(required('(a: number, b: (x: number) => void, c?: string): void'), 2);
  assert.equal(required('<N extends X<Y>>(name: N, ...rest: number[]): void'), 1);
  assert.deepEqual([...membersOf('  a: number;\n  get b(): string;\n  static c(x: { d: number }): void;\n  e<F>(): void;\n')], ['a', 'b', 'static c', 'e']);
});

test('package.json leads to files that exist, and its version is that of the Python library', () => {
  const about = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
  const paths = [about.types, ...Object.values(about.exports).flatMap(Object.values), ...Object.values(about.bin)];
  for (const path of paths) readFileSync(new URL(path, ROOT));
  assert.equal(about.dependencies, undefined);
  const python = readFileSync(new URL('../fairshoe/__init__.py', ROOT), 'utf8');
  assert.equal(about.version, python.match(/__version__ = "(.*)"/)[1]);
});

test('the core opens a keyed session where there are only the globals of a browser or a worker', async () => {
  const context = vm.createContext({ crypto, performance, setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask });
  const modules = new Map();
  const load = name => {
    if (!modules.has(name)) modules.set(name, new vm.SourceTextModule(read(name), { context, identifier: name }));
    return modules.get(name);
  };
  const index = load('index.js');
  await index.link(specifier => load(specifier.replace('./', '')));            // `node:` would be no file
  await index.evaluate();
  const { Shoe, toHex } = index.namespace, device = new ScriptedDevice();
  const shoe = await Shoe.open(device.connect, { role: 'table', key: toHex(TABLE_KEY) });
  device.say('door_opened', PREFIX);
  for await (const event of shoe.events()) { assert.equal(event.name, 'door_opened'); break; }
  const done = shoe.command('shuffle');
  await settle();
  device.result(41, 'done');
  assert.equal((await done).outcome, 'done');
  await shoe.close();
});

test('every program of the README parses, and its imports exist', async () => {
  const text = readFileSync(new URL('README.md', ROOT), 'utf8');
  const programs = [...text.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, program]) => program);
  assert.ok(programs.length >= 3);
  const { exports: paths } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
  for (const program of programs) {
    new vm.SourceTextModule(program);
    for (const [, words, from] of program.matchAll(/^import \{ ([^}]+) \} from '(fairshoe[^']*)';/gm)) {
      const module = await import(new URL(paths[from.replace('fairshoe', '.')].default, ROOT));
      for (const word of words.split(', ')) assert.ok(word in module, `${from} has no ${word}`);
    }
  }
});
