import { useBlocker } from '@tanstack/react-router';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { type SettingName, type Settings, settingWords } from './settings.ts';

/** Asks before changes are lost. Enter stays. */
export function LeaveDialog({
  name,
  before,
  after,
  changed,
  channelName,
  maySave,
  isFree,
  onSave,
}: {
  readonly name: string;
  readonly before: Settings;
  readonly after: Settings;
  readonly changed: readonly SettingName[];
  readonly channelName: (uuid: string) => string;
  readonly maySave: boolean;
  /** Whether the page may be left, because it was just saved. */
  readonly isFree: () => boolean;
  /** Saves. Returns whether it is saved. */
  readonly onSave: () => Promise<boolean>;
}) {
  const isHeld = () => changed.length > 0 && !isFree();
  const blocker = useBlocker({ shouldBlockFn: isHeld, enableBeforeUnload: isHeld, withResolver: true });
  if (blocker.status !== 'blocked') return null;
  const texts = m.checkEditor.leave;
  return (
    <Dialog title={texts.title} onClose={blocker.reset}>
      <p className="text-13 text-ink-2">{texts.lead(changed.length, name)}</p>
      <ul className="grid text-12">
        {changed.map((field) => (
          <li key={field} className="flex gap-5 border-t border-line py-3 first:border-t-0">
            <span className="w-50 flex-none text-ink-3">{m.checkEditor.fields[field]}</span>
            <span className="min-w-0 flex-1 break-words">
              <span className="text-ink-3">{settingWords(field, before, channelName)}</span> →{' '}
              <b>{settingWords(field, after, channelName)}</b>
            </span>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-4 pt-2">
        <Button kind="ghost" onClick={blocker.proceed}>
          {texts.leave}
        </Button>
        <span className="flex-1" />
        <Button
          disabled={!maySave}
          onClick={() =>
            void onSave().then((isSaved) => {
              if (isSaved) blocker.proceed();
              else blocker.reset();
            })
          }
        >
          {texts.saveAndLeave}
        </Button>
        <Button kind="primary" autoFocus onClick={blocker.reset}>
          {texts.stay}
        </Button>
      </div>
    </Dialog>
  );
}
