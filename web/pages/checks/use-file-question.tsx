import { useCallback, useState } from 'react';
import { FileQuestion } from '../../acts/file-question.tsx';
import { m } from '../../messages/index.ts';
import type { FileFields } from './acts.ts';

interface Question {
  readonly files: FileFields;
  readonly answer: (isWanted: boolean) => void;
}

/** Asks in a dialog before files' settings of many checks are changed. */
export function useFileQuestion() {
  const [question, setQuestion] = useState<Question | null>(null);
  const ask = useCallback(
    (files: FileFields) => new Promise<boolean>((answer) => setQuestion({ files, answer })),
    [],
  );
  const dialog = question !== null && (
    <FileQuestion
      undone={settingsIn(question.files)}
      send={async () => question.answer(true)}
      onClose={() => {
        // After a yes this changes nothing.
        question.answer(false);
        setQuestion(null);
      }}
    />
  );
  return { ask, dialog };
}

/** Large selections are asked about in several parts. */
function settingsIn(files: FileFields) {
  const { fields } = m.checkActs.file;
  return [...Map.groupBy(files, ({ field, source }) => `${field} ${source}`).values()].flatMap((same) => {
    const checks = same.reduce((sum, one) => sum + one.checks, 0);
    return same.slice(0, 1).map(({ field, source }) => ({ words: fields[field](checks), source }));
  });
}
