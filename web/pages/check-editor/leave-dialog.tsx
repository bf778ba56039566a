import type { ReactNode } from 'react';
import { m } from '../../messages/index.ts';
import { LeaveDialog } from '../../ui/leave-dialog.tsx';
import { type SettingName, type Settings, settingWords } from './settings.ts';

/** Asks before changes of a check are lost, and lists them. */
export function LeaveCheckDialog({
  name,
  before,
  after,
  changed,
  channelName,
  maySave,
  isFree,
  undone,
  onSave,
}: {
  readonly name: string;
  readonly before: Settings;
  readonly after: Settings;
  readonly changed: readonly SettingName[];
  readonly channelName: (uuid: string) => string;
  readonly maySave: boolean;
  /** Whether the page may be left, because the check was just saved, or is gone. */
  readonly isFree: () => boolean;
  /** Tells which changes files will undo. */
  readonly undone: ReactNode;
  /** Saves. Returns whether it is saved. */
  readonly onSave: () => Promise<boolean>;
}) {
  return (
    <LeaveDialog isHeld={() => changed.length > 0 && !isFree()} maySave={maySave} onSave={onSave}>
      <p className="text-13 text-ink-2">{m.checkEditor.leaveLead(changed.length, name)}</p>
      <ul className="grid text-12">
        {changed.map((field) => (
          <li key={field} className="flex gap-2.5 border-t border-line py-1.5 first:border-t-0">
            <span className="w-25 flex-none text-ink-3">{m.checkEditor.fields[field]}</span>
            <span className="min-w-0 flex-1 break-words">
              <span className="text-ink-3">{settingWords(field, before, channelName)}</span> →{' '}
              <b>{settingWords(field, after, channelName)}</b>
            </span>
          </li>
        ))}
      </ul>
      {undone}
    </LeaveDialog>
  );
}
