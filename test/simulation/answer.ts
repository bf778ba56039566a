/** Whether something is so: surely, surely not, or nobody can tell. */
export type Answer = 'yes' | 'no' | 'unsure';

/** What all possibilities say. */
export function agreed(answers: readonly Answer[]): Answer {
  const [first = 'no'] = answers;
  return answers.every((answer) => answer === first) ? first : 'unsure';
}

/** Whether one of these is so. */
export function either(answers: readonly Answer[]): Answer {
  if (answers.includes('yes')) return 'yes';
  return answers.includes('unsure') ? 'unsure' : 'no';
}

export function sure(is: boolean): Answer {
  return is ? 'yes' : 'no';
}
