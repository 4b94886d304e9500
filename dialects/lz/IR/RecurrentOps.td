//===- RecurrentOps.td - LSTM, GRU, RNN ---------------------*- tablegen -*-===//

#ifndef DIALECTS_LZ_IR_RECURRENTOPS_TD
#define DIALECTS_LZ_IR_RECURRENTOPS_TD

include "dialects/lz/IR/LzAttrs.td"
include "dialects/lz/IR/LzTypes.td"

class Lz_RecurrentOp<string mnemonic, dag states, dag finals, dag extra>
    : Lz_PureOp<mnemonic, "Opaque", [AttrSizedOperandSegments]> {
  let arguments = !con(
    (ins Lz_FloatTensor:$input, Lz_FloatTensor:$weights,
         Lz_FloatTensor:$recurrent_weights, Optional<Lz_FloatTensor>:$bias,
         Optional<Lz_IndexTensor>:$lengths,
         Optional<Lz_FloatTensor>:$initial_h),
    states,
    (ins I64Attr:$hidden, Lz_DirectionKindAttr:$direction,
         StrArrayAttr:$activations, F64ArrayAttr:$activation_alpha,
         F64ArrayAttr:$activation_beta, OptionalAttr<F64Attr>:$clip),
    extra);
  let results = !con((outs Lz_FloatTensor:$y, Lz_FloatTensor:$y_h), finals);
  let assemblyFormat = [{
    $input `,` $weights `,` $recurrent_weights (`bias` $bias^)?
    (`lengths` $lengths^)? (`h` $initial_h^)?
  }] # !if(!empty(states), "", "(`c` $initial_c^)? (`peepholes` $peepholes^)?")
  # [{
    $direction attr-dict `:` functional-type(operands, results)
  }];
}

def Lz_LstmOp : Lz_RecurrentOp<"lstm",
    (ins Optional<Lz_FloatTensor>:$initial_c,
         Optional<Lz_FloatTensor>:$peepholes),
    (outs Lz_FloatTensor:$y_c), (ins BoolAttr:$input_forget)> {
  let summary = "Long short-term memory";
  let description = [{
    ONNX `LSTM` in layout 0: `input` [seq, batch, in], `weights`
    [directions, 4 * hidden, in] in gate order i, o, f, c; results
    [seq, directions, batch, hidden] and twice [directions, batch, hidden].
    `activations` holds three lower-case names per direction; an element of
    `activation_alpha`/`beta` is NaN where the function's default holds.
  }];
}

def Lz_GruOp : Lz_RecurrentOp<"gru", (ins), (outs),
    (ins BoolAttr:$linear_before_reset)> {
  let summary = "Gated recurrent unit";
  let description = [{ONNX `GRU` in layout 0; gate order z, r, h; see `lz.lstm`.}];
}

def Lz_RnnOp : Lz_RecurrentOp<"rnn", (ins), (outs), (ins)> {
  let summary = "Simple recurrent network";
  let description = [{ONNX `RNN` in layout 0; see `lz.lstm`.}];
}

#endif // DIALECTS_LZ_IR_RECURRENTOPS_TD
