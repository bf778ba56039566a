import { useState } from 'react';
import type { ConflictJson } from '../../../src/wire/dashboard/check-settings-output.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Note } from '../../ui/note.tsx';
import { Ago } from '../../ui/time.tsx';
import { changedNames } from './changed-settings.ts';
import { type Settings, settingWords } from './settings.ts';

/** Somebody else has saved first. Nothing is overwritten before the person has chosen. */
export function ConflictPanel({
  conflict,
  base,
  mine,
  channelName,
  onTheirs,
  onMine,
}: {
  readonly conflict: ConflictJson;
  /** The settings that both have begun with. */
  readonly base: Settings;
  readonly mine: Settings;
  readonly channelName: (uuid: string) => string;
  readonly onTheirs: () => void;
  readonly onMine: () => void;
}) {
  const texts = m.checkEditor.conflict;
  const { fields } = m.checkEditor;
  const [isCompared, setIsCompared] = useState(false);
  const theirs = changedNames(base, conflict.settings);
  const own = changedNames(base, mine);
  const shown = [...new Set([...theirs, ...own])];
  return (
    <div role="alert" className="grid gap-2.5">
      <Note
        kind="late"
        action={
          <span className="flex flex-none flex-wrap gap-1.5">
            <Button size="small" onClick={onTheirs}>
              {texts.theirs}
            </Button>
            <Button size="small" onClick={onMine}>
              {texts.mine}
            </Button>
            <Button
              size="small"
              kind="ghost"
              aria-expanded={isCompared}
              onClick={() => setIsCompared(!isCompared)}
            >
              {texts.compare}
            </Button>
          </span>
        }
      >
        <b className="text-ink">
          {texts.changed(
            conflict.by ?? texts.somebody,
            theirs.map(
              (name) =>
                `${fields[name].toLowerCase()}: ${settingWords(name, conflict.settings, channelName)}`,
            ),
          )}
        </b>{' '}
        {conflict.at !== null && <Ago at={conflict.at} />}. {texts.nothingSaved}{' '}
        {own.length > 0 && texts.own(own.map((name) => fields[name].toLowerCase()))}
      </Note>
      {isCompared && (
        <table className="w-full text-left text-13">
          <thead className="text-12 text-ink-3">
            <tr>
              <th className="py-1 font-normal">{texts.field}</th>
              <th className="py-1 font-normal">{texts.theirsHead}</th>
              <th className="py-1 font-normal">{texts.mineHead}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((name) => (
              <tr key={name} className="border-t border-line">
                <th className="py-1 font-normal text-ink-3">{fields[name]}</th>
                <td className="py-1 break-words">{settingWords(name, conflict.settings, channelName)}</td>
                <td className="py-1 break-words">{settingWords(name, mine, channelName)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
