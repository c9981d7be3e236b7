/** Leaves out words that say nothing about what a text is about. */

/** Words of several languages that most texts contain. */
const common = new Set(
  [
    'a about after all also an and any are as at be because been before but by can could did do does for from get had has',
    'have how i if in into is it its just let like make me more my no not now of on one only or other our out over please',
    'should so some that the their them then there these they this to up us use was we were what when where which who why',
    'will with would you your',
    'aber als am an auch auf aus bei bin bis bitte da das dass dem den der des die doch ein eine einem einen einer es für',
    'hat ich ihr im in ist ja kann mach man mein mit nach nicht noch nur oder sich sie sind so über um und uns vom von vor',
    'war was wenn wer wie wir wird zu zum zur',
    'au aux avec ce ces dans de des du elle en est et il je la le les leur lui mais ne nous on ou par pas pour que qui sa se',
    'ses son sur te tu un une vous',
  ].flatMap((line) => line.split(' ')),
);

/** The `words`, as `wordsOf` gives them, without common ones. */
export function distinctiveWords(words: readonly string[]): string[] {
  return words.filter((word) => !common.has(word));
}
