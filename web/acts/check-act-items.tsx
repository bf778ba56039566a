import { m } from '../messages/index.ts';
import { MenuItem, MenuLine } from '../ui/menu.tsx';
import type { ActedCheck, useCheckActs } from './use-check-acts.tsx';

/** The items of a menu of acts on a check. For people who may change it. */
export function CheckActItems({
  check,
  isPaused,
  acts,
}: {
  readonly check: ActedCheck;
  readonly isPaused: boolean;
  readonly acts: Omit<ReturnType<typeof useCheckActs>, 'dialog'>;
}) {
  const { menu } = m.checkActs;
  return (
    <>
      {isPaused ? (
        <MenuItem onSelect={() => acts.resume(check)}>{menu.resume}</MenuItem>
      ) : (
        <MenuItem onSelect={() => acts.pause(check)}>{menu.pause}</MenuItem>
      )}
      <MenuItem onSelect={() => acts.copy(check)}>{menu.copy}</MenuItem>
      <MenuItem onSelect={() => acts.move(check)}>{menu.move}</MenuItem>
      <MenuItem onSelect={() => acts.replaceAddress(check)}>{menu.replace}</MenuItem>
      <MenuLine />
      <MenuItem isDangerous onSelect={() => acts.clear(check)}>
        {menu.clear}
      </MenuItem>
      <MenuItem isDangerous onSelect={() => acts.remove(check)}>
        {menu.remove}
      </MenuItem>
    </>
  );
}
