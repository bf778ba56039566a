import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitToRestore } from './open-files.ts';

const limits = (soft: string) => `Limit                     Soft Limit           Hard Limit           Units
Max processes             5                    unlimited            processes
Max open files            ${soft.padEnd(20)} 524288               files
`;
const files = (own: string, before: string) => (path: string) =>
  ({ '/proc/self/limits': own, '/proc/7/limits': before })[path] ?? assert.fail(path);

test('the limit of open files is that of our parent, if ours is another', () => {
  assert.equal(limitToRestore(7, files(limits('524288'), limits('1024'))), '1024');
  assert.equal(limitToRestore(7, files(limits('1024'), limits('1024'))), null);
  assert.equal(limitToRestore(7, files(limits('1024'), limits('unlimited'))), 'unlimited');
});

test('where the system does not tell limits, they stay', () => {
  const missing = () => {
    throw new Error('ENOENT');
  };
  assert.equal(limitToRestore(7, missing), null);
  assert.equal(limitToRestore(7, files(limits('1024'), '')), null);
});
