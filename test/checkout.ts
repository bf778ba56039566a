import { cp, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { REPOSITORY } from './process.ts';

const NOT_COPIED = /^(node_modules|\.git|data|coverage|dist.*|web\/dist.*)$/;

/** A copy of the checkout without what was built, because the checkout itself may be in use. */
export async function copyCheckout(target: string): Promise<void> {
  await cp(REPOSITORY, target, {
    recursive: true,
    filter: (path) => !NOT_COPIED.test(relative(REPOSITORY, path)),
  });
  await symlink(join(REPOSITORY, 'node_modules'), join(target, 'node_modules'));
}
