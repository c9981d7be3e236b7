import type { Table } from '../format.ts';

/** Programs that build, test, fetch and deploy. A star in a rule reaches only what stands here without a `!`. */
export const building: Table = {
  rows: `
    reads npm : -v --version -s --silent --loglevel:text --no-color --offline !--prefix:read !-C:read : sub
    contained npm ls,list,ll,la : -alg --all --long --json --parseable --depth:number --prod --production --dev --omit:text --global --package-lock-only --link -w:text --workspace:text --workspaces : text*
    contained npm root,prefix,bin : -g --global :
    contained npm config,get : : setting
    contained npm pkg get : : text*
    contained npm run,run-script : --json :
    works npm run,run-script,rum,urn : &wide &posix -s --silent --if-present --json -w:text --workspace:text --workspaces --ws --include-workspace-root --ignore-scripts --foreground-scripts : word text*
    works npm test,t,tst,start,stop,restart,ci,clean-install,pack,audit,outdated,dedupe,fund,doctor,ping,whoami,version,rebuild :
      &wide &posix -s --silent --if-present -w:text --workspace:text --workspaces --omit:text --include:text --no-audit --no-fund --ignore-scripts --dry-run --json --prefer-offline --legacy-peer-deps --force --audit-level:text : any*
    works npm install,i,add,remove,uninstall,rm,update,up,publish,unpublish,link,login,logout,view,info,show,search,help,docs,explain,why :
      -DEOPSgfs --save-dev --save --save-exact --save-optional --save-peer --no-save --global --omit:text --include:text --no-audit --no-fund --ignore-scripts --dry-run --json --prefer-offline --legacy-peer-deps --force -w:text --workspace:text --workspaces --access:text --tag:text --otp:text --provenance --package-lock-only --no-package-lock : text*
    governs npm exec,x : &posix -y --yes -q --quiet --no-install --no : command
    governs npx,bunx : &posix -yq --yes --no --quiet --no-install --bun : command

    reads pnpm,yarn,bun : -s --silent -r --recursive --version -v !-C:read !--dir:read !--cwd:read : sub
    contained pnpm,yarn list,ls,why : -rgP --depth:number --json --prod --dev --long --recursive --pattern:text : text*
    works pnpm,yarn,bun run : &wide &posix -s --silent --if-present --bail --parallel -r --recursive : runnable any*
    works pnpm,yarn,bun test,lint,build,start,dev,check,typecheck,format : &wide &posix -s --silent --watch --coverage --bail -t:text --timeout:number : any*
    works pnpm,yarn,bun install,i,add,remove,up,update,upgrade,ci,init,publish,pack,audit,outdated,import,rebuild,dedupe,info,view,link,unlink,pm :
      -DEOPTgfdp --dev --save-dev --exact --frozen-lockfile --immutable --prefer-offline --offline --ignore-scripts --global --no-lockfile --lockfile-only --force --production --json --silent --dry-run : text*
    works yarn workspace : &wide &posix : word word any*
    works yarn workspaces : &posix : any*
    governs pnpm exec : &posix -r --recursive --parallel : command
    governs yarn,bun exec : &posix : command
    governs uv,poetry,pdm,hatch,rye,pipenv run : &posix -q --quiet --frozen --locked --no-sync --offline --active --no-project : command
    governs bundle exec : &posix : command
    works uv sync,lock,add,remove,tree,version,venv,build,export : --frozen --locked --dev --all-extras --extra:text --group:text --no-dev --upgrade -qv --quiet : any*
    works poetry,pdm,pipenv install,lock,show,check,build,update,add,remove,sync,list,version : --no-root --sync --only:text --with:text --without:text --all-extras --quiet -qv --dry-run --no-interaction -n : any*
    works bundle install,check,list,show,outdated,update,add,info : --jobs:number --quiet --local : any*

    works cargo : -qvV --quiet --verbose --offline --locked --frozen --color:text --version : sub
    contained cargo tree,metadata,pkgid,version,locate-project : @cargo -i:text --invert:text --depth:number --prefix:text --no-dev-deps --format-version:number --no-deps -d --duplicates -e:text --edges:text : text*
    works cargo build,b,check,c,test,t,bench,doc,clippy,fmt,run,r,fix,clean,nextest,expand,machete,audit,deny,miri,hack :
      &wide &posix @cargo --all-targets --lib --bins --bin:text --examples --example:text --tests --test:text --benches --bench:text --doc --no-run --no-fail-fast --check --fix --allow-dirty --allow-staged --message-format:text --no-deps --open --document-private-items --keep-going --timings : text*
    works cargo add,remove,rm,update,fetch,vendor,publish,yank,search,new,init,login,owner,package,generate-lockfile,info : @cargo --dev --build --features:text --optional --rename:text --dry-run --precise:text --lib --bin --name:text --edition:text : text*

    reads go : : sub
    contained go env,version,list,doc : &words -m -json -f:text -deps -test -e -u -versions -all -short -src -cmd -c : text*
    works go build,install,test,vet,run,fmt,generate,clean,mod,fix,work :
      &wide &words &posix -v -x -n -a -race -cover -short -run:text -bench:text -benchmem -count:number -timeout:text -cpu:text -parallel:number -p:number -tags:text -failfast -json -list:text -trimpath -mod:text -covermode:text -coverpkg:text -fuzz:text -fuzztime:text -shuffle:text -skip:text -benchtime:text -buildvcs:text -cache -testcache : module*
    works go get : &words -u -d -t -v : text*

    works make,gmake,ninja : -kisnBqrRtvwde -j?number -l?number -# --always-make --keep-going --silent --quiet --dry-run --just-print --touch --jobs?number --no-print-directory --print-directory --warn-undefined-variables --debug?text --trace --output-sync?text --no-builtin-rules --question !-f:program !-C:read !-I:read !--file:program !--directory:read !--eval:code : word*
    works cmake : !--build:read !--install:read !--target:text !--config:text !-j:number !-S:read !-B:write !-G:text !-D:code !-P:program !-E:code --version : read*
    works gcc,g++,cc,c++,clang,clang++ :
      &words -c -S -E -g* -O* -w -W* -f* -std=* -m* -D*:text -U*:text -I*:read -L*:read -l*:text -isystem:read -pthread -pipe -v -ansi -pedantic -pedantic-errors -static -shared -rdynamic -x:text
      -M -MM -MP -MD -MMD --version --help -### !-Wl,* !-Wa,* !-Wp,* !-o*:write !-MF*:write !-MT*:text !-MQ*:text !-fplugin* !-wrapper:code !-specs* !--specs* !-B*:read !-Xlinker:code !-Xassembler:code !-Xpreprocessor:code !-T*:read !-include:read !-imacros:read !-fdump* !-ffile* !-fprofile* !-save-temps* !-dumpdir:write !-dumpbase:write !-fdiagnostics* !-fuse-ld* !-fcallgraph* !-fopt-info* !-fmodule* !-fauto-profile* !-iplugindir* !-aux-info:write !-fada* !-fstack-usage !-fcompare-debug* !-fload* !-fpass* : module*
    works pip,pip3 : -qv --quiet --verbose --disable-pip-version-check --version -V : sub
    contained pip,pip3 list,show,freeze,check : -vofl --format:text --outdated --not-required --user --local --files --verbose --path:read : text*
    works pip,pip3 install,download,wheel,uninstall,index,cache,search,hash,inspect,debug,help : -UqvIy --upgrade --user --no-deps --pre --quiet --yes --no-cache-dir --dry-run --force-reinstall --break-system-packages --no-input --no-build-isolation : text*

    works pytest,py.test : &wide
      -qvxsr:text -k:text -m:text -n:text --lf --ff --nf --sw --stepwise --maxfail:number --tb:text --durations:number --collect-only --co --last-failed --failed-first --no-header --no-summary --color:text --disable-warnings --strict-markers --cov?text --cov-fail-under:number --no-cov --verbose --quiet --exitfirst --capture:text --markers --fixtures --setup-show --showlocals -l --timeout:number --dist:text --numprocesses:text --deselect:text --ignore:read --reruns:number --randomly-seed:text --asyncio-mode:text --benchmark-skip --benchmark-only --cache-clear --doctest-modules : read*
    works mypy,unittest,pyright,ruff,black,flake8,isort,pylint :
      &wide -vqsfbc --check --diff --strict --ignore-missing-imports --verbose --quiet --failfast --buffer --show-error-codes --no-error-summary --statistics --select:text --ignore:text --fix --no-cache -k:text : any*
    works vitest,jest,mocha :
      &wide -u -w -b -i -t:text -g:text -h --run --watch --coverage --reporter:text --reporters:text --passWithNoTests --bail?number --testNamePattern:text --testPathPattern:text --verbose --silent --ci --updateSnapshot --update --grep:text --timeout:number --testTimeout:number --maxWorkers:text --runInBand --onlyChanged --changed?text --related --project:text --no-coverage --retry:number --exit --forceExit --detectOpenHandles --listTests --hideSkippedTests --no-color --color --typecheck --findRelatedTests --all : any*
    works eslint,prettier,biome,stylelint,oxlint :
      &wide -lwcu --fix --fix-dry-run --check --write --list-different --ext:text --cache --quiet --max-warnings:number --format:text --no-color --color --ignore-unknown --error-on-warnings --no-error-on-unmatched-pattern --log-level:text --loglevel:text --report-unused-disable-directives --debug --no-cache --stats : any*
    works tsc :
      &wide -bvwh --noEmit --build --watch --version --pretty --incremental --listFiles --listFilesOnly --traceResolution --skipLibCheck --strict --showConfig --extendedDiagnostics --diagnostics --noEmitOnError --force --clean --dry --verbose --target:text --module:text --jsx:text --lib:text -p:read --project:read : read*
    works vite,webpack,babel,rollup,esbuild,next,turbo,nx : &wide : any*

    works python,python3 : &posix -BdEiIOPqsSuvx -m:command^ !-c:code^ !-W:code !-X:code : program text*
    works node,nodejs : &posix --test^ --check --no-warnings --enable-source-maps --trace-warnings --trace-deprecation --trace-uncaught --unhandled-rejections:text --max-old-space-size:number --stack-trace-limit:number --test-name-pattern:text --test-only --test-concurrency:number --test-timeout:number --watch --preserve-symlinks --experimental-strip-types --experimental-transform-types --disable-warning:text --expose-gc -c !-e:code^ !-p:code^ !--eval:code^ !--print:code^ !-r:code !--require:code !--import:code !--loader:code !--experimental-loader:code : program text*
    works ruby : &posix -wWvy !-e:code^ !-I:code !-r:code !-c^ : program text*
    works perl : &posix -wtTuUc !-e:code^ !-E:code^ !-n !-p !-i?text !-M:code !-m:code !-I:code !-a !-l !-0?text !-F:code : program text*
    works php : &posix -nqsw !-r:code^ !-f:program^ !-S:code^ !-d:code !-l^ : program text*
    works bun,deno,lua,tclsh,Rscript,osascript,fish,csh,tcsh,irb,sqlite3,psql,powershell,pwsh : &posix !-e:code^ !-c:code^ !-p:code^ --version^ -v^ : program text*

    works docker,podman : --debug -D --version : sub
    works docker,podman ps,images,logs,inspect,info,version,stats,top,port,diff,history,search,events :
      &wide -aqfls -t:text -n:text --all --quiet --filter:text --format:text --no-trunc --follow --tail:text --since:text --until:text --timestamps --details --size --last:number --no-stream --type:text --human --digests : text*
    works docker,podman build,buildx : &wide -qt:text -f:read --tag:text --file:read --no-cache --pull --progress:text --target:text --build-arg:text --platform:text --label:text --quiet --rm : read*
    works docker,podman start,stop,restart,kill,rm,rmi,pause,unpause,wait,rename,tag,pull,push,login,logout,update,attach,create : -afvs:text -t:number --time:number --all --force --signal:text --all-tags --quiet : text*
    works docker,podman compose : -p:text --profile:text --ansi:text --progress:text --compatibility --parallel:number : sub
    works docker,podman compose up,down,build,ps,logs,stop,start,restart,pull,push,config,images,top,kill,rm,pause,unpause,create,events,port,ls,version,watch :
      &wide -adfqsvt:number --build --detach --force-recreate --no-deps --no-build --remove-orphans --wait --quiet-pull --abort-on-container-exit --exit-code-from:text --scale:text --volumes --timeout:number --no-cache --pull --follow --tail:text --since:text --timestamps --all --quiet --services --format:text --no-color --no-log-prefix --force --stop : text*
    works docker,podman container,image,volume,network,system,context,manifest ls,list,inspect,prune,logs,ps,df,info,create,rm,stop,start,history,pull : -aqf --all --quiet --force --filter:text --format:text --no-trunc : text*
    works kubectl : -n:text --namespace:text --context:text : sub
    works kubectl get,describe,logs,top,explain,version,cluster-info,api-resources,rollout,diff,wait,auth :
      &wide -Awfpc:text -n:text -o:text -l:text --namespace:text --all-namespaces --output:text --selector:text --watch --follow --previous --tail:number --since:text --container:text --show-labels --field-selector:text --sort-by:text --no-headers --context:text --timeout:text --for:text : text*
    works kubectl apply,delete,create,scale,label,annotate,patch,replace,set,expose,cordon,drain,taint,autoscale : -n:text --namespace:text -f:read -k:read -l:text --all --force --dry-run?text -o:text --replicas:number --wait --context:text -p:text --type:text : text*
    works terraform : : sub
    works terraform plan,validate,fmt,show,output,providers,version,graph,init,apply,destroy,refresh,import,state,workspace : &words -no-color -json -input=* -var=* -target=* -auto-approve -refresh-only -destroy -upgrade -reconfigure -check -diff -recursive -lock=* -parallelism=* -compact-warnings -detailed-exitcode -raw : text*
    works gh : -R:text --repo:text --version : sub
    works gh pr,issue,run,repo,release,workflow,label,gist view,list,status,diff,checks,watch : &wide -cwR:text -s:text -L:text -l:text -a:text -A:text -q:text --json:text --jq:text --state:text --limit:number --label:text --author:text --assignee:text --search:text --comments --web --log --log-failed --job:text --repo:text --branch:text --status:text --name-only --patch --exit-status --verbose : text*
    works gh pr,issue,repo,release,run,workflow,label create,edit,close,merge,comment,review,ready,reopen,checkout,rerun,cancel,delete,fork,clone,sync,upload,download :
      -dfRt:text -b:text -F:read -B:text -H:text -l:text -a:text -r:text -smw --title:text --body:text --body-file:read --base:text --head:text --label:text --draft --fill --squash --merge --rebase --delete-branch --auto --approve --comment --request-changes --repo:text --yes --failed --debug : text*
    works gh search,status : : any*
    works aws s3 ls : &wide --recursive --human-readable --summarize : text*
    works aws sts get-caller-identity : :
  `,
  shared: {
    cargo: `-qvrp:text -j:number -F:text --quiet --verbose --release --package:text --workspace --all --exclude:text --features:text --all-features --no-default-features --target:text --profile:text --jobs:number --offline --locked --frozen --color:text`,
  },
};
